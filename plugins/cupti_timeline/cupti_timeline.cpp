// SPDX-License-Identifier: Apache-2.0
#include "plugins/cupti_timeline/cupti_timeline.hpp"

namespace strata::cupti_timeline {
namespace {

// A source that was built with older headers does not send it.
bool is_product(const strata_op_info& op) {
  return STRATA_HAS_FIELD(strata_op_info, &op, product_bytes) && op.products != 0;
}

}  // namespace

CuptiTimeline::CuptiTimeline(const Host& host)
    : host_(host),
      steps_(host.service<strata_window_service>(STRATA_EXT_WINDOW)),
      ops_(op_table(host)),
      products_(product_table(host)),
      activities_(activity_table(host)),
      kernels_(kernel_table(host)) {}

void CuptiTimeline::begin_step(const strata_when& when, const strata_step_info&) {
  window_.begin_step(when);
}

void CuptiTimeline::end_step(const strata_when& when, const strata_step_info& step,
                             const strata_step_result&) {
  if (steps_ != nullptr && step.index >= steps_->last_step(host_.abi())) window_.end_last_step(when);
}

std::uint64_t CuptiTimeline::begin_op(const strata_when& when, const strata_op_info&) noexcept {
  return static_cast<std::uint64_t>(when.monotonic_ns);
}

void CuptiTimeline::end_op(const strata_when& when, const strata_op_info& op, std::uint64_t token) noexcept {
  ops_.append({.begin_ns = static_cast<std::int64_t>(token),
               .end_ns = when.monotonic_ns,
               .op = op.ordinal,
               .parent = op.parent,
               .autograd_sequence = op.autograd_sequence,
               .forward_thread = op.forward_thread,
               .thread = when.thread,
               .kind = op.kind,
               .name = op.name.id,
               .module = when.module});
  if (!is_product(op)) [[likely]]
    return;
  products_.append({.op = op.ordinal,
                    .bytes = op.product_bytes,
                    .batch = op.product_batch,
                    .m = op.product_m,
                    .n = op.product_n,
                    .k = op.product_k,
                    .products = op.products,
                    .element_bytes = op.product_element_bytes});
}

void CuptiTimeline::on_activity(const strata_when&, const strata_activity_event& activity) noexcept {
  if (!window_.contains(activity)) return;
  const std::uint64_t ordinal = activities_reported_.fetch_add(1, std::memory_order_relaxed) + 1;
  activities_.append(activity_row(activity, ordinal));
  if (activity.kind == STRATA_ACTIVITY_KERNEL) kernels_.append(kernel_row(activity, ordinal));
}

}  // namespace strata::cupti_timeline

STRATA_EXPORT_PLUGINS(strata::cupti_timeline::CuptiTimeline)
