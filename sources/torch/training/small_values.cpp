// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/small_values.hpp"

#include <ATen/ATen.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sources/torch/training/masks.hpp"
#include "sources/torch/training/operator_effects.hpp"

namespace strata::torch_source {
namespace {

// As large as a tensor whose values the dry GPU follows through kernels.
constexpr std::size_t kMostBytes = 4096;
// Sums of whole numbers below it are exact in any order, in floating point as well.
constexpr double kMostExact = 16'777'216.0;

struct DryGpu {
  int (*read_known)(const void* address, std::size_t bytes, void* target) = nullptr;
  void (*keep)(void* address, const void* bytes, std::size_t count) = nullptr;
  void (*expect_count)(std::uint64_t count, int is_expected) = nullptr;
  int (*were_sizes_unknown)() = nullptr;
};
DryGpu dry_gpu;

bool find_dry_gpu() {
  void* const library = dlopen("libstrata_dry_gpu.so", RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return false;
  const auto find = [&]<typename Function>(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  };
  return find("strata_dry_gpu_read_known", dry_gpu.read_known) && find("strata_dry_gpu_keep", dry_gpu.keep) &&
         find("strata_dry_gpu_expect_count", dry_gpu.expect_count) &&
         find("strata_dry_gpu_were_sizes_unknown", dry_gpu.were_sizes_unknown);
}

// Torch loads it with its own libraries, after this source.
bool is_dry() {
  static const bool found = find_dry_gpu();
  return found;
}

const Host* messages = nullptr;
std::atomic<bool> has_assumed = false;
thread_local bool is_computing = false;

struct Computing {
  Computing() { is_computing = true; }
  ~Computing() { is_computing = false; }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

// From the first element's to behind the last one's; elements in between need not be the tensor's.
std::size_t spanned_elements(const at::Tensor& tensor) {
  std::int64_t elements = 1;
  for (std::int64_t dimension = 0; dimension < tensor.dim(); ++dimension)
    elements += (tensor.size(dimension) - 1) * tensor.stride(dimension);
  return static_cast<std::size_t>(elements);
}

bool is_small(const at::Tensor& tensor) {
  return !is_of_python(tensor) && tensor.layout() == at::kStrided && tensor.numel() > 0 &&
         spanned_elements(tensor) * tensor.itemsize() <= kMostBytes && !tensor.is_complex() &&
         !tensor.is_quantized();
}

// The sum of their amounts; empty: they are not all whole numbers.
std::optional<double> amount_of(const at::Tensor& values) {
  const at::Tensor numbers = values.to(at::kDouble);
  if (!at::isfinite(numbers).all().item<bool>() || !numbers.eq(numbers.floor()).all().item<bool>())
    return std::nullopt;
  return numbers.abs().sum().item<double>();
}

// A tensor of the program and its values.
struct Shadow {
  at::Tensor device, values;
};

std::optional<at::Tensor> known_values(const at::Tensor& tensor) {
  const auto elements = static_cast<std::int64_t>(spanned_elements(tensor));
  at::Tensor memory = at::empty({elements}, tensor.options().device(at::kCPU).requires_grad(false));
  if (dry_gpu.read_known(tensor.const_data_ptr(), memory.nbytes(), memory.mutable_data_ptr()) == 0)
    return std::nullopt;
  return memory.as_strided(tensor.sizes(), tensor.strides()).contiguous();
}

// Values that were computed here. The dry GPU forgets them where a kernel may have been given their address,
// which it cannot know exactly; which tensors one of torch's own operators writes to is known.
class KnownResults {
 public:
  struct Value {
    c10::intrusive_ptr<c10::StorageImpl> storage;
    void* address = nullptr;
    at::Tensor values;
  };

  bool is_empty() const { return is_empty_.load(std::memory_order_relaxed); }

  // Not of a tensor that leaves gaps in memory.
  void add(const Shadow& shadow) {
    if (!shadow.device.is_contiguous()) return;
    void* const address = shadow.device.mutable_data_ptr();
    dry_gpu.keep(address, shadow.values.const_data_ptr(), shadow.values.nbytes());
    const std::scoped_lock lock(mutex_);
    std::erase_if(values_, [&](const Weak& each) { return each.address == address; });
    if (values_.size() >= kMost) values_.erase(values_.begin());
    values_.push_back({shadow.device.storage().getWeakStorageImpl(), address, shadow.values});
    is_empty_ = false;
  }

  // Those that are known now, except in `written`. The others are no longer followed.
  std::vector<Value> known(const std::vector<const c10::StorageImpl*>& written) {
    std::vector<Value> found;
    const std::scoped_lock lock(mutex_);
    std::erase_if(values_, [&](const Weak& each) {
      auto storage = each.storage.lock();
      if (!storage || std::ranges::find(written, storage.get()) != written.end()) return true;
      at::Tensor now = at::empty_like(each.values);
      if (dry_gpu.read_known(each.address, now.nbytes(), now.mutable_data_ptr()) == 0) return true;
      found.push_back({std::move(storage), each.address, std::move(now)});
      return false;
    });
    is_empty_ = values_.empty();
    return found;
  }

 private:
  static constexpr std::size_t kMost = 64;
  struct Weak {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    void* address = nullptr;
    at::Tensor values;
  };
  std::mutex mutex_;
  std::vector<Weak> values_;
  std::atomic<bool> is_empty_ = true;
};
KnownResults known_results;
thread_local bool is_in_operator = false;

Masks masks;

struct Operation : at::ObserverContext {
  Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  ~Operation() override {
    if (is_outermost) is_in_operator = false;
    if (is_count_expected) dry_gpu.expect_count(0, 0);
  }

  bool is_collective = false;
  std::vector<at::Tensor> exchanged;  // of a collective, which may write to them
  bool is_outermost = false;
  bool is_count_expected = false;
  std::vector<KnownResults::Value> lasting;  // through it
  torch::jit::Stack arguments;               // on the CPU; empty: only counted
  std::vector<Shadow> inputs;
  std::int64_t counted = 0;  // values
  Masks::Change change;
};

// Whether every tensor among the values on a CUDA device is small and known; adds them to `operation`.
class Reader {
 public:
  explicit Reader(Operation& operation) : operation_(operation) {}

  bool take(const c10::IValue& value) {
    if (value.isTensor()) return take_tensor(value.toTensor());
    if (value.isTensorList() || value.isOptionalTensorList()) return false;
    if (value.isGenerator()) return false;
    operation_.arguments.push_back(
        value.isDevice() && value.toDevice().is_cuda() ? c10::IValue(at::Device(at::kCPU)) : value);
    return true;
  }
  bool has_any() const { return !operation_.inputs.empty(); }
  double amount() const { return amount_; }

 private:
  bool take_tensor(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.is_cpu()) {
      operation_.arguments.emplace_back(tensor);
      return !tensor.defined() || tensor.numel() == 1;
    }
    if (!tensor.is_cuda() || !is_small(tensor)) return false;
    const std::optional<at::Tensor> values = known_values(tensor);
    if (!values) return false;
    const std::optional<double> amount = amount_of(*values);
    if (!amount) return false;
    amount_ += *amount;
    operation_.inputs.push_back({tensor, *values});
    operation_.arguments.emplace_back(*values);
    return true;
  }

  Operation& operation_;
  double amount_ = 0.0;
};

bool may_be_small(const c10::IValue& value) {
  if (!value.isTensor() || !value.toTensor().defined()) return true;
  const at::Tensor& tensor = value.toTensor();
  return !is_of_python(tensor) && (!tensor.is_cuda() || is_small(tensor));
}

// How many unknown values it counts, each as one: bincount's second argument weighs them. 0: it counts none.
std::int64_t counted_by(std::string_view name, c10::ArrayRef<const c10::IValue> inputs) {
  if (!is_on_card(inputs[0])) return 0;
  const at::Tensor& values = inputs[0].toTensor();
  if (name == "aten::histc" || (name == "aten::bincount" && inputs.size() > 1 && inputs[1].isNone()))
    return values.numel();
  if (name == "aten::sum" || name == "aten::count_nonzero") return masks.ones_in(values).value_or(0);
  return 0;
}

// Whether its result is what the memory held before: nothing to compute.
bool leaves_contents(std::string_view name) {
  return name.find("empty") != name.npos || name.starts_with("aten::resize");
}

void add_small(const c10::IValue& value, std::vector<at::Tensor>& found) {
  if (value.isTensorList()) {
    for (const at::Tensor& each : value.toTensorVector()) add_small(each, found);
  } else if (is_on_card(value) && is_small(value.toTensor())) {
    found.push_back(value.toTensor());
  }
}

void read_inputs(const at::RecordFunction& function, Operation& operation) {
  const auto inputs = function.inputs();
  if (std::ranges::none_of(inputs, is_on_card)) return;
  if (leaves_contents(function.name())) return;
  const std::int64_t counted = counted_by(function.name(), inputs);
  if (counted == 0 && !std::ranges::all_of(inputs, may_be_small)) return;
  Reader reader(operation);
  const bool is_known =
      std::ranges::all_of(inputs, [&](const c10::IValue& each) { return reader.take(each); });
  if (is_known && reader.has_any() && reader.amount() < kMostExact) return;
  operation.arguments.clear();
  operation.inputs.clear();
  operation.counted = counted;
}

void say_that_counts_are_even(std::string_view name) {
  if (!has_assumed.exchange(true))
    messages->info("values counted by " + std::string(name) +
                   " are unknown on a dry card: each value is assumed to occur equally often");
}

// How many values nonzero will find.
void expect_ones(const at::Tensor& tensor, Operation& operation) {
  const bool is_known = !operation.inputs.empty();
  const std::optional<std::int64_t> ones =
      is_known ? operation.inputs[0].values.count_nonzero().item<std::int64_t>() : masks.ones_in(tensor);
  if (!ones) return;
  if (!is_known) say_that_counts_are_even("aten::nonzero");
  dry_gpu.expect_count(static_cast<std::uint64_t>(*ones), 1);
  operation.is_count_expected = true;
}

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  if (is_computing || function.isAsync() || !function.operator_name() || !is_dry() ||
      c10::impl::TorchDispatchModeTLS::any_modes_set())
    return nullptr;
  const std::string_view name = function.name();
  const bool is_collective = name.starts_with("c10d::") || name.starts_with("_c10d_functional::");
  if (!is_collective && !name.starts_with("aten::")) return nullptr;
  const Computing computing;
  auto operation = std::make_unique<Operation>();
  operation->is_collective = is_collective;
  operation->change = masks.begin(function);
  if (is_collective) {
    for (const c10::IValue& each : function.inputs()) add_small(each, operation->exchanged);
    return operation;
  }
  if (!known_results.is_empty() && !is_in_operator) {
    operation->lasting = known_results.known(operation->change.written);
    operation->is_outermost = is_in_operator = true;
  }
  read_inputs(function, *operation);
  if (name == "aten::nonzero" && is_on_card(function.inputs()[0]))
    expect_ones(function.inputs()[0].toTensor(), *operation);
  return operation;
}

void compute(const at::RecordFunction& function, Operation& operation) {
  const auto found = c10::Dispatcher::singleton().findSchema(*function.operator_name());
  if (!found || found->hasTag(at::Tag::nondeterministic_seeded)) return;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  found->callBoxed(&operation.arguments);
  const auto& results = operation.arguments;
  const auto& outputs = function.outputs();
  if (results.size() != outputs.size()) return;
  std::vector<Shadow> shadows = std::move(operation.inputs);
  for (std::size_t index = 0; index < results.size(); ++index) {
    if (!is_on_card(outputs[index]) || !results[index].isTensor()) continue;
    const at::Tensor& output = outputs[index].toTensor();
    const at::Tensor values = results[index].toTensor().contiguous();
    if (!is_small(output) || values.sizes() != output.sizes() || values.scalar_type() != output.scalar_type())
      continue;
    shadows.push_back({output, values});
  }
  // Also the inputs: the kernel that was not run was given their addresses, and may change them.
  for (const Shadow& shadow : shadows) {
    if (amount_of(shadow.values).value_or(kMostExact) < kMostExact) known_results.add(shadow);
  }
}

// `all`: values.
void count_evenly(const at::RecordFunction& function, std::int64_t all) {
  const auto& outputs = function.outputs();
  if (outputs.size() != 1 || !is_on_card(outputs[0])) return;
  const at::Tensor& output = outputs[0].toTensor();
  if (!is_small(output)) return;
  const std::int64_t bins = output.numel();
  at::Tensor values = at::arange(bins, at::kLong).lt(all % bins).to(at::kLong).add(all / bins);
  known_results.add({output, values.to(output.scalar_type()).reshape(output.sizes()).contiguous()});
  say_that_counts_are_even(function.name());
}

void end(const at::RecordFunction& function, at::ObserverContext* context) {
  auto* const operation = static_cast<Operation*>(context);
  if (operation == nullptr) return;
  const Computing computing;
  for (const KnownResults::Value& each : operation->lasting)
    dry_gpu.keep(each.address, each.values.const_data_ptr(), each.values.nbytes());
  if (operation->is_collective) {
    for (const c10::IValue& each : function.outputs()) add_small(each, operation->exchanged);
  }
  for (const at::Tensor& each : operation->exchanged) {
    if (auto values = known_values(each)) known_results.add({each, *std::move(values)});
  }
  if (!operation->arguments.empty())
    compute(function, *operation);
  else if (operation->counted > 0)
    count_evenly(function, operation->counted);
  masks.end(function, operation->change);
}

std::unique_ptr<at::ObserverContext> begin_or_not(const at::RecordFunction& function) noexcept try {
  return begin(function);
} catch (...) {
  return nullptr;  // its result stays unknown
}

void end_or_not(const at::RecordFunction& function, at::ObserverContext* context) noexcept try {
  end(function, context);
} catch (...) {
  return;  // the same
}

}  // namespace

bool were_sizes_unknown() {
  return is_dry() && dry_gpu.were_sizes_unknown() != 0;
}

SmallValues::SmallValues(const Host& host) {
  messages = &host;
  handle_ = at::addGlobalCallback(at::RecordFunctionCallback(&begin_or_not, &end_or_not)
                                      .needsInputs(true)
                                      .needsOutputs(true)
                                      .scopes({at::RecordScope::FUNCTION}));
}

SmallValues::~SmallValues() {
  if (handle_ != 0) at::removeCallback(handle_);
}

}  // namespace strata::torch_source
