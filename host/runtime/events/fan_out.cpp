// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/fan_out.hpp"

#include <algorithm>
#include <cstring>

namespace strata {
namespace {

// A caller with an older minor passes a shorter struct; fields unknown to it are zero.
template <typename Info>
void copy_known(Info& to, const Info& from) noexcept {
  if (from.struct_size >= sizeof to) [[likely]] {
    std::memcpy(&to, &from, sizeof to);
  } else {
    to = Info{};
    std::memcpy(&to, &from, from.struct_size);
  }
  to.struct_size = sizeof to;
}

}  // namespace

bool FanOut::open(bool in_window) {
  in_window_ = in_window;
  failed_ = count_failed();
  routes_.push_back(std::make_unique<const Routes>(make_routes(listeners_, in_window)));
  return gate_.set_routes(*routes_.back());
}

void FanOut::leave_out_failed() {
  if (count_failed() != failed_) static_cast<void>(open(in_window_));
}

std::uint64_t FanOut::count_failed() const noexcept {
  return static_cast<std::uint64_t>(std::ranges::count_if(listeners_, &ListenerSet::failed));
}

void FanOut::count_fault(std::uint32_t listener) noexcept {
  if (listeners_[listener].faults != nullptr)
    listeners_[listener].faults->fetch_add(1, std::memory_order_relaxed);
}

template <typename Function, typename Event>
void FanOut::deliver(ThreadState& thread, const Route<Function>& route, const strata_when& when,
                     const Event& event) noexcept {
  for (const auto& call : route)
    guarded(thread, call.listener, [&] { call.function(call.self, &when, &event); });
}

void FanOut::memory(const strata_memory_event& event) noexcept {
  if ((interest() & STRATA_INTEREST_MEMORY) == 0) return;
  const Visit visit(gate_);
  if (visit.routes().memory.empty()) return;
  ThreadState& thread = visit.thread();
  if (is_inside_memory_event(thread)) return;
  thread.under_allocator = 1;
  deliver(thread, visit.routes().memory, stamp(thread), event);
  thread.under_allocator = 0;
}

bool FanOut::is_inside_memory_event(const ThreadState& thread) noexcept {
  if (thread.under_allocator == 0) [[likely]]
    return false;
  faults_.count(SessionFault::kMemoryEventInside, "");
  return true;
}

template <typename Function, typename Event>
void FanOut::tell(std::uint32_t interest_bit, const Route<Function> Routes::*route,
                  const Event& event) noexcept {
  if ((interest() & interest_bit) == 0) return;
  const Visit visit(gate_);
  const Route<Function>& listeners = visit.routes().*route;
  if (listeners.empty() || is_inside_memory_event(visit.thread())) return;
  deliver(visit.thread(), listeners, stamp(visit.thread()), event);
}

void FanOut::graph(const strata_graph_event& event) noexcept {
  tell(STRATA_INTEREST_GRAPH, &Routes::graph, event);
}

void FanOut::tensor(const strata_tensor_event& event) noexcept {
  tell(STRATA_INTEREST_TENSOR, &Routes::tensor, event);
}

void FanOut::activity(const strata_activity_event& event) noexcept {
  tell(STRATA_INTEREST_ACTIVITY, &Routes::activity, event);
}

std::uint64_t FanOut::begin_op(const strata_op_info& op) noexcept {
  if ((interest() & STRATA_INTEREST_OP) == 0) return STRATA_NONE;
  const Visit visit(gate_);
  if (visit.routes().op.empty()) return STRATA_NONE;
  ThreadState& thread = visit.thread();
  if (is_inside_memory_event(thread)) return STRATA_NONE;
  const strata_when when = stamp(thread);
  OpenRange<strata_op_info>* range = thread.ops.push();
  if (range == nullptr) {
    faults_.count(SessionFault::kOpsTooDeep, "op_begin: too many ops are open on this thread");
    return STRATA_NONE;
  }
  copy_known(range->info, op);
  range->info.ordinal = when.sequence;
  range->info.parent = when.op;
  deliver_begin(thread, *range, visit.routes().op, when);
  return range->info.ordinal;
}

void FanOut::end_op(std::uint64_t ordinal) noexcept {
  if (ordinal == STRATA_NONE) return;
  const Visit visit(gate_);
  if (!visit.routes().open) return;
  ThreadState& thread = visit.thread();
  if (!thread.ops.holds(ordinal)) {
    faults_.count(SessionFault::kUnpairedOpEnd, "op_end: the op is not open on this thread");
    return;
  }
  while (thread.ops.innermost() != ordinal) end_innermost_op(thread);
  end_innermost_op(thread);
}

std::uint32_t FanOut::begin_module(const strata_module_info& module) noexcept {
  if ((interest() & kInterestModule) == 0) return STRATA_NONE;
  const Visit visit(gate_);
  if (visit.routes().module.empty()) return STRATA_NONE;
  ThreadState& thread = visit.thread();
  if (is_inside_memory_event(thread)) return STRATA_NONE;
  const strata_when when = stamp(thread);
  OpenRange<strata_module_info>* range = thread.modules.push();
  if (range == nullptr) {
    faults_.count(SessionFault::kModulesTooDeep, "begin_module: too many modules are open on this thread");
    return STRATA_NONE;
  }
  copy_known(range->info, module);
  range->info.ordinal = modules_.fetch_add(1, std::memory_order_relaxed) + 1;
  range->info.parent = when.module;
  deliver_begin(thread, *range, visit.routes().module, when);
  return range->info.ordinal;
}

void FanOut::end_module(std::uint32_t ordinal) noexcept {
  if (ordinal == STRATA_NONE) return;
  const Visit visit(gate_);
  if (!visit.routes().open) return;
  ThreadState& thread = visit.thread();
  if (!thread.modules.holds(ordinal)) {
    faults_.count(SessionFault::kUnpairedModuleEnd, "end_module: the range is not open on this thread");
    return;
  }
  while (thread.modules.innermost() != ordinal) end_innermost_module(thread);
  end_innermost_module(thread);
}

void FanOut::end_innermost_op(ThreadState& thread) noexcept {
  const OpenRange<strata_op_info>& range = *thread.ops.top();
  if ((range.heard_by & hear_op_ends_) != 0) {
    strata_when when = stamp(thread);
    when.op = range.info.parent;
    deliver_end(thread, range, [&](const ListenerSet& set, std::uint64_t token) {
      if (set.op.end != nullptr) set.op.end(set.self, &when, &range.info, token);
    });
  }
  thread.ops.pop();
}

void FanOut::end_innermost_module(ThreadState& thread) noexcept {
  const OpenRange<strata_module_info>& range = *thread.modules.top();
  if ((range.heard_by & hear_module_ends_) != 0) {
    strata_when when = stamp(thread);
    when.module = range.info.parent;
    deliver_end(thread, range, [&](const ListenerSet& set, std::uint64_t token) {
      if (set.module.end != nullptr) set.module.end(set.self, &when, &range.info, token);
    });
  }
  thread.modules.pop();
}

void FanOut::end_open_ranges() noexcept {
  for (ThreadState* thread = all_threads(); thread != nullptr; thread = thread->next) {
    if (thread->session != gate_.session()) continue;
    while (thread->modules.depth != 0) end_innermost_module(*thread);
    while (thread->ops.depth != 0) end_innermost_op(*thread);
  }
}

}  // namespace strata
