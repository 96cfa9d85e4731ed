#include "sources/torch/op_observer.hpp"

#include <ATen/record_function.h>

#include <memory>
#include <type_traits>

#include "sources/torch/host_link.hpp"
#include "sources/torch/op_names.hpp"
#include "sources/torch/op_range.hpp"

namespace strata::torch_source {
namespace {

static_assert(std::is_same_v<at::CallbackHandle, unsigned long>, "OpObserver::handle_ keeps one");

std::uint32_t kind_of(at::RecordScope scope) {
  switch (scope) {
    case at::RecordScope::BACKWARD_FUNCTION:
      return STRATA_OP_BACKWARD;
    case at::RecordScope::USER_SCOPE:
      return STRATA_OP_USER;
    default:
      return STRATA_OP_FORWARD;
  }
}

std::unique_ptr<at::ObserverContext> begin_op(const at::RecordFunction& function) noexcept {
  if (function.isAsync()) return nullptr;
  const Emission emission;
  if (!emission || !emission.wanted(STRATA_INTEREST_OP)) return nullptr;
  auto range = OpRange::make(emission.run());
  if (range == nullptr) return nullptr;
  const bool backward = function.scope() == at::RecordScope::BACKWARD_FUNCTION;
  range->op =
      emission.op_begin({.struct_size = sizeof(strata_op_info),
                         .kind = kind_of(function.scope()),
                         .name = interned_op_name(emission, function.name()),
                         .ordinal = STRATA_NONE,
                         .parent = STRATA_NONE,
                         .autograd_sequence = function.seqNr(),
                         .forward_thread = backward ? function.forwardThreadId() : function.threadId()});
  return range;
}

void end_op(const at::RecordFunction&, at::ObserverContext* context) noexcept {
  const auto* range = static_cast<const OpRange*>(context);
  if (range == nullptr) return;
  const Emission emission;
  if (emission && emission.run() == range->run) emission.op_end(range->op);
}

}  // namespace

OpObserver::OpObserver()
    : handle_(
          at::addGlobalCallback(at::RecordFunctionCallback(&begin_op, &end_op)
                                    .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION,
                                             at::RecordScope::USER_SCOPE}))) {
  follow_interest(true);
}

OpObserver::~OpObserver() {
  at::removeCallback(handle_);
}

void OpObserver::follow_interest(bool looking) {
  const Emission emission;
  const bool wanted = looking && emission && emission.wanted(STRATA_INTEREST_OP);
  if (wanted == enabled_) return;
  wanted ? at::reenableCallback(handle_) : at::disableCallback(handle_);
  enabled_ = wanted;
}

}  // namespace strata::torch_source
