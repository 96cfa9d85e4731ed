// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/cast_watch.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/ScalarType.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sources/torch/host/host_link.hpp"
#include "sources/torch/host/storage_place.hpp"
#include "sources/torch/training/model_copies.hpp"
#include "sources/torch/training/owners.hpp"
#include "strata/ext/tensor.h"

namespace strata::torch_source {
namespace {

thread_local bool is_watched = false;

// Combines what at::autocast::is_autocast_enabled checks for each device type, because it is called at each
// operator's begin.
bool is_autocast_on() {
  constexpr c10::DispatchKeySet kDevices({c10::DispatchKey::AutocastCPU, c10::DispatchKey::AutocastCUDA});
  return !c10::impl::tls_local_dispatch_key_set().excluded_.has_all(kDevices);
}

// Whether autocast has a kernel of its own for the operator, on whichever device. Found once: a schema and
// its name stay where they are.
bool is_covered(const at::RecordFunction& function) {
  thread_local std::unordered_map<const char*, bool> known;
  if (const auto found = known.find(function.name()); found != known.end()) return found->second;
  const std::optional<c10::OperatorName> name = function.operator_name();
  if (!name) return false;
  const auto schema = c10::Dispatcher::singleton().findSchema(*name);
  const bool covered = schema && (schema->hasKernelForDispatchKey(c10::DispatchKey::AutocastCPU) ||
                                  schema->hasKernelForDispatchKey(c10::DispatchKey::AutocastCUDA));
  return known.emplace(function.name(), covered).first->second;
}

void report_copy(std::uint32_t role, const at::Tensor& copy, const at::Tensor& source) {
  const Emission emission;
  if (!emission || !emission.wanted(STRATA_INTEREST_TENSOR)) return;
  const std::string dtype(c10::getDtypeNames(copy.scalar_type()).first);
  const strata_name name = emission.intern(role == STRATA_TENSOR_COPY ? "copy" : dtype);
  emission.tensor({.struct_size = sizeof(strata_tensor_event),
                   .role = role,
                   .name = name,
                   .dtype = emission.intern(dtype),
                   .device = reported_device(copy.device()),
                   .address = storage_address(copy),
                   .storage_bytes = copy.storage().nbytes(),
                   .owner_address = storage_address(source),
                   .sizes = copy.sizes().data(),
                   .dimensions = static_cast<std::uint32_t>(copy.dim()),
                   .is_frozen = 0});
}

// aten::copy_(self, src, non_blocking). Autocast disables itself during its own calls, so a cast with
// autocast enabled is the program's.
std::unique_ptr<at::ObserverContext> begin_watched(const at::RecordFunction& function) noexcept try {
  if (std::string_view(function.name()) != "aten::copy_" || is_autocast_on()) return nullptr;
  const c10::ArrayRef<const c10::IValue> inputs = function.inputs();
  if (inputs.size() < 2 || !inputs[0].isTensor() || !inputs[1].isTensor()) return nullptr;
  const at::Tensor& copy = inputs[0].toTensor();
  const at::Tensor& source = inputs[1].toTensor();
  const bool cast = copy.scalar_type() != source.scalar_type() && copy.device() == source.device();
  if (cast && copy.has_storage() && source.has_storage())
    report_copy(STRATA_TENSOR_AUTOCAST_COPY, copy, source);
  return nullptr;
} catch (...) {
  return nullptr;  // a copy without a name is better than a training that stops
}

std::unique_ptr<at::ObserverContext> begin_in_clone(const at::RecordFunction& function) noexcept try {
  report_copy_of_owner(function);
  return nullptr;
} catch (...) {
  return nullptr;
}

}  // namespace

void report_copy_of_owner(const at::RecordFunction& function) {
  if (std::string_view(function.name()) != "aten::copy_") return;
  const c10::ArrayRef<const c10::IValue> inputs = function.inputs();
  if (inputs.size() < 2 || !inputs[0].isTensor() || !inputs[1].isTensor()) return;
  const at::Tensor& copy = inputs[0].toTensor();
  const at::Tensor& source = inputs[1].toTensor();
  // A bias that a product spreads over its result is no copy of it.
  if (!source.has_storage() || source.nbytes() > source.storage().nbytes() || copy.numel() != source.numel())
    return;
  if (!copy.has_storage() || !is_parameter_or_gradient(source)) return;
  report_copy(STRATA_TENSOR_COPY, copy, source);
  note_clone(copy, source);
}

bool casts_begin(const at::RecordFunction& function) {
  return !is_watched && is_autocast_on() && is_covered(function);
}

bool clone_begins(const at::RecordFunction& function) {
  return !is_watched && std::string_view(function.name()) == "aten::clone";
}

CastWatch::CastWatch(Watched watched)
    : handle_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(watched == Watched::kCasts ? &begin_watched : &begin_in_clone)
              .needsInputs(true)
              .scopes({at::RecordScope::FUNCTION}))) {
  is_watched = true;
}

CastWatch::~CastWatch() {
  is_watched = false;
  at::removeCallback(handle_);
}

}  // namespace strata::torch_source
