// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/owners.hpp"

#include <ATen/SparseTensorImpl.h>
#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>
#include <c10/core/StorageImpl.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sources/torch/host/host_link.hpp"
#include "sources/torch/host/storage_place.hpp"
#include "sources/torch/training/assigned_gradients.hpp"
#include "sources/torch/training/compiled_steps.hpp"
#include "sources/torch/training/gradients.hpp"
#include "sources/torch/training/graph_tasks.hpp"
#include "sources/torch/training/model_copies.hpp"
#include "sources/torch/training/process_rank.hpp"
#include "sources/torch/training/python_owners.hpp"
#include "sources/torch/training/written_tensors.hpp"
#include "strata/ext/tensor.h"

namespace strata::torch_source {
namespace {

using Storage = c10::StorageImpl*;
using WeakStorage = c10::weak_intrusive_ptr<c10::StorageImpl>;

WeakStorage weak(const at::Tensor& tensor) {
  return WeakStorage(tensor.storage().getWeakStorageImpl());
}

// A storage may end and another begin where it was: a name holds for the one it was given to.
struct Named {
  WeakStorage storage;
  std::string name;
};

struct Written {
  WeakStorage storage;
  std::vector<std::int64_t> sizes;
  at::ScalarType dtype;
};

struct Owners {
  std::mutex mutex;
  std::unordered_map<Storage, Named> parameters, states;
  std::unordered_map<Storage, WeakStorage> gradients;
  std::unordered_map<Storage, Written> written;
  std::size_t parameters_named = 0, states_named = 0;
  int looks = 0;  // at the program's Python
  bool has_found_model = false;
  int looks_for_states = 0;  // that were asked for
  bool looks_for_states_next = false;
  std::string naming_problem;
  std::string trainer;
};

// Each takes some 60 ms of a large program: who makes new state for ever is numbered from there on.
constexpr int kMostLooks = 16;
// The first steps of a compiled optimizer, which make its state.
constexpr int kLooksForStates = 2;

Owners& owners() {
  static auto& all = *new Owners;  // NOLINT: not destroyed at exit, where backward may be under way
  return all;
}

bool is_leaf_to_train(const at::Tensor& tensor) {
  return tensor.requires_grad() && tensor.is_leaf();
}

const WeakStorage& storage_in(const WeakStorage& known) {
  return known;
}

const WeakStorage& storage_in(const Named& known) {
  return known.storage;
}

// Not a storage that has ended, and another that begins where it was.
template <typename Known>
bool holds(const std::unordered_map<Storage, Known>& known, Storage storage) {
  const auto found = known.find(storage);
  return found != known.end() && !storage_in(found->second).expired();
}

struct ReportedOwner {
  std::uint32_t role;
  std::string_view name;
  std::string_view dtype;
  c10::IntArrayRef sizes;
  std::uint64_t owner = 0;
  bool is_frozen = false;
};

// Python's name.
std::string_view name_of(at::ScalarType dtype) {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (int type = 0; type < static_cast<int>(at::ScalarType::NumOptions); ++type) {
      const auto dtype = static_cast<at::ScalarType>(type);
      names.emplace_back(dtype == at::ScalarType::Undefined ? "" : c10::getDtypeNames(dtype).first);
    }
    return names;
  }();
  return all.at(static_cast<std::size_t>(dtype));
}

bool hears_of_tensors() {
  const Emission emission;
  return emission && emission.wanted(STRATA_INTEREST_TENSOR);
}

// No effect for a storage that is currently empty: a DTensor's own, or one that is gathered again when
// needed.
void report_storage(const c10::StorageImpl& storage, const ReportedOwner& told) {
  const Emission emission;
  if (storage.data() == nullptr || !emission || !emission.wanted(STRATA_INTEREST_TENSOR)) return;
  emission.tensor({.struct_size = sizeof(strata_tensor_event),
                   .role = told.role,
                   .name = emission.intern(told.name),
                   .dtype = emission.intern(told.dtype),
                   .device = reported_device(storage.device()),
                   .address = reinterpret_cast<std::uint64_t>(storage.data()),
                   .storage_bytes = storage.nbytes(),
                   .owner_address = told.owner,
                   .sizes = told.sizes.data(),
                   .dimensions = static_cast<std::uint32_t>(told.sizes.size()),
                   .is_frozen = told.is_frozen ? 1U : 0U});
}

Storage storage_of(const at::Tensor& tensor) {
  return tensor.storage().unsafeGetStorageImpl();
}

void report_owner(std::uint32_t role, std::string_view name, const at::Tensor& tensor, std::uint64_t owner) {
  report_storage(*storage_of(tensor), {role, name, name_of(tensor.scalar_type()), tensor.sizes(), owner});
}

// Tells of it when this is the first time, with its number as its name. Returns the name that the program's
// Python gave; empty: none.
std::string parameter_name(const at::Tensor& parameter) {
  Owners& all = owners();
  std::string name;
  {
    const std::lock_guard lock(all.mutex);
    if (holds(all.parameters, storage_of(parameter))) return all.parameters.at(storage_of(parameter)).name;
    name = "parameter " + std::to_string(all.parameters_named++);
    all.parameters.insert_or_assign(storage_of(parameter), Named{weak(parameter), {}});
  }
  report_owner(STRATA_TENSOR_PARAMETER, name, parameter, 0);
  return {};
}

// Checkpointing repeats a layer on detached inputs, whose gradients are accumulated by a nested backward:
// these are leaves, but if the program's own parameters are known, they are not among them.
bool is_parameter(const at::Tensor& leaf) {
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  return !known.has_found_model || holds(known.parameters, storage_of(leaf));
}

void take_name(const PythonOwner& owner) {
  Owners& known = owners();
  const auto storage = c10::intrusive_ptr<c10::StorageImpl>::reclaim_copy(owner.storage);
  {
    const std::lock_guard lock(known.mutex);
    const Named named{WeakStorage(storage), owner.name};
    if (owner.role == STRATA_TENSOR_PARAMETER) {
      known.parameters.insert_or_assign(owner.storage, named);
      known.has_found_model = true;
    }
    if (owner.role == STRATA_TENSOR_OPTIMIZER_STATE || owner.role == STRATA_TENSOR_PROJECTOR)
      known.states.insert_or_assign(owner.storage, named);
  }
  if (owner.role == STRATA_TENSOR_COPY) note_copy(owner);
  const auto parameter = owner.owner == nullptr ? 0 : reinterpret_cast<std::uint64_t>(owner.owner->data());
  report_storage(*storage, {owner.role, owner.name, owner.dtype, owner.sizes, parameter, owner.is_frozen});
}

void look_for_names(bool is_first) {
  Owners& known = owners();
  try {
    PythonProgram program = for_each_python_owner(is_first, &take_name, &note_optimized);
    if (program.rank) note_rank(*program.rank);
    const std::lock_guard lock(known.mutex);
    if (!program.trainer.empty()) known.trainer = std::move(program.trainer);
  } catch (const std::exception& error) {
    const std::lock_guard lock(known.mutex);
    known.naming_problem = error.what();
    known.looks = kMostLooks;
  }
}

// Counts a look, if there is one left.
bool may_look(Owners& known) {
  if (known.looks >= kMostLooks) return false;
  ++known.looks;
  return true;
}

// Without a name, it comes after the parameter's, which a C++ program may have attached.
void report_gradient_tensor(const at::Tensor& gradient, const at::Tensor& parameter, const std::string& name,
                            const char* suffix = "") {
  {
    Owners& known = owners();
    const std::lock_guard lock(known.mutex);
    known.gradients.insert_or_assign(storage_of(gradient), weak(gradient));
  }
  if (!hears_of_tensors()) return;
  report_owner(STRATA_TENSOR_GRADIENT, (name.empty() ? "grad" : name + ".grad") + suffix, gradient,
               storage_address(parameter));
}

}  // namespace

void name_before_forward() {
  Owners& known = owners();
  bool is_first = false;
  {
    const std::lock_guard lock(known.mutex);
    is_first = known.looks == 0;
    if (known.has_found_model || !may_look(known)) return;
  }
  look_for_names(is_first);
}

void report_accumulated(const at::RecordFunction& node) {
  if (!std::string_view(node.name()).ends_with("AccumulateGrad")) return;
  const auto current = torch::autograd::get_current_node();
  const auto* const accumulate = dynamic_cast<const torch::autograd::AccumulateGrad*>(current.get());
  if (accumulate == nullptr || !accumulate->variable.has_storage()) return;
  const at::Tensor& parameter = accumulate->variable;
  if (is_nested_graph_task()) {
    never_skip_nodes();
    if (!is_parameter(parameter)) return;
  }
  note_accumulated(parameter);
  report_gradient(parameter);
}

void report_gradient(const at::Tensor& parameter) {
  note_version(parameter);
  const std::string name = parameter_name(parameter);
  const at::Tensor& gradient = parameter.grad();
  if (!gradient.defined()) return;
  // A sparse gradient of an embedding has no storage: it consists of two tensors.
  if (gradient.layout() == at::kSparse) {
    const auto& sparse = *static_cast<const at::SparseTensorImpl*>(gradient.unsafeGetTensorImpl());
    report_gradient_tensor(sparse.values(), parameter, name);
    report_gradient_tensor(sparse.indices(), parameter, name, ".indices");
  } else if (gradient.has_storage()) {
    report_gradient_tensor(gradient, parameter, name);
  }
}

bool is_told_gradient(const at::Tensor& gradient) {
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  return holds(known.gradients, storage_of(gradient));
}

// Called by the hook of a parameter's last gradient, or when all are complete; other nodes exchange their
// results.
void report_buckets(const at::RecordFunction& function) {
  if (std::string_view(function.name()) != "c10d::allreduce_" || function.inputs().empty()) return;
  const auto node = torch::autograd::get_current_node();
  if (node && dynamic_cast<const torch::autograd::AccumulateGrad*>(node.get()) == nullptr) return;
  if (!function.inputs()[0].isTensorList() || !hears_of_tensors()) return;
  for (const at::Tensor& bucket : function.inputs()[0].toTensorList()) {
    if (bucket.defined() && bucket.has_storage()) report_owner(STRATA_TENSOR_BUCKET, "bucket", bucket, 0);
  }
}

void note_written(const at::RecordFunction& function) {
  Owners& known = owners();
  for_each_written(function, [&](const at::Tensor& tensor) {
    if (!tensor.has_storage() || tensor.storage().data() == nullptr || is_leaf_to_train(tensor)) return;
    const std::lock_guard lock(known.mutex);
    const Storage storage = storage_of(tensor);
    if (holds(known.parameters, storage) || holds(known.gradients, storage)) return;
    known.written.insert_or_assign(storage,
                                   Written{weak(tensor), tensor.sizes().vec(), tensor.scalar_type()});
  });
}

bool is_known_parameter(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return false;
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  return holds(known.parameters, storage_of(tensor));
}

bool is_parameter_or_gradient(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return false;
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  return holds(known.parameters, storage_of(tensor)) || holds(known.gradients, storage_of(tensor));
}

void look_for_states() {
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  if (known.looks_for_states >= kLooksForStates) return;
  ++known.looks_for_states;
  known.looks_for_states_next = true;
}

bool report_states() {
  Owners& known = owners();
  const auto is_new = [&](const auto& entry) {
    const auto& [storage, written] = entry;
    return !written.storage.expired() && !holds(known.gradients, storage) && !holds(known.states, storage);
  };
  bool has_new = false, looks = false;
  {
    const std::lock_guard lock(known.mutex);
    has_new = std::ranges::any_of(known.written, is_new);
    looks = (std::exchange(known.looks_for_states_next, false) || has_new) && may_look(known);
  }
  if (looks) look_for_names(false);
  std::vector<std::pair<std::string, Written>> found;
  std::unordered_map<Storage, Written> written;
  {
    const std::lock_guard lock(known.mutex);
    written.swap(known.written);
    for (const auto& entry : written) {
      if (!is_new(entry)) continue;
      std::string name = "optimizer state " + std::to_string(known.states_named++);
      found.emplace_back(name, entry.second);
      known.states.insert_or_assign(entry.first, Named{entry.second.storage, std::move(name)});
    }
    std::erase_if(known.gradients, [](const auto& entry) { return entry.second.expired(); });
    std::erase_if(known.parameters, [](const auto& entry) { return entry.second.storage.expired(); });
  }
  // Not with the mutex held: what Python holds is taken hold of with the interpreter's lock.
  for (const auto& [name, state] : found) {
    if (const auto alive = state.storage.lock())
      report_storage(*alive, {STRATA_TENSOR_OPTIMIZER_STATE, name, name_of(state.dtype), state.sizes});
  }
  return has_new;
}

std::string take_naming_problem() {
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  return std::exchange(known.naming_problem, {});
}

std::string take_trainer() {
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  return std::exchange(known.trainer, {});
}

bool writes_to_parameter(const at::RecordFunction& function) {
  bool writes = false;
  for_each_written(function, [&](const at::Tensor& tensor) {
    if (writes || !tensor.has_storage()) return;
    writes = is_leaf_to_train(tensor);
    if (writes) return;
    Owners& known = owners();
    const std::lock_guard lock(known.mutex);
    writes = holds(known.parameters, storage_of(tensor));
  });
  return writes;
}

void forget_owners() {
  Owners& known = owners();
  const std::lock_guard lock(known.mutex);
  known.parameters.clear();
  known.states.clear();
  known.gradients.clear();
  known.written.clear();
  known.parameters_named = known.states_named = 0;
  known.looks = 0;
  known.has_found_model = known.looks_for_states_next = false;
  known.looks_for_states = 0;
  known.naming_problem.clear();
  known.trainer.clear();
  forget_gradients();
  forget_assigned_gradients();
  forget_copies();
  forget_rank();
}

}  // namespace strata::torch_source
