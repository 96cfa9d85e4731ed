// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/backward/graph_modules.hpp"

#include <ATen/SequenceNumber.h>
#include <ATen/record_function.h>

#include <algorithm>

namespace strata::trainer {

void GraphModules::enter(std::string_view path, std::string_view type) {
  const std::lock_guard lock(mutex_);
  Thread& thread = threads_[at::RecordFunction::currentThreadId()];
  thread.visits.push_back({++visits_, thread.innermost, std::string(path), std::string(type)});
  thread.go_on_as(&thread.visits.back());
}

void GraphModules::leave() {
  const std::lock_guard lock(mutex_);
  Thread& thread = threads_[at::RecordFunction::currentThreadId()];
  thread.go_on_as(thread.innermost->outer);
}

void GraphModules::Thread::go_on_as(const ModuleVisit* visit) {
  innermost = visit;
  const std::uint64_t next = at::sequence_number::peek();
  // No node was added since: the previous interval is empty.
  if (!intervals.empty() && intervals.back().first == next) intervals.pop_back();
  intervals.push_back({next, visit});
}

MadeNodes GraphModules::nodes_around(std::uint64_t thread, std::uint64_t sequence) const {
  const std::lock_guard lock(mutex_);
  const auto found = threads_.find(thread);
  if (found == threads_.end()) return {};
  const std::vector<NodeRange>& intervals = found->second.intervals;
  const auto after = std::ranges::upper_bound(intervals, sequence, {}, &NodeRange::first);
  if (after == intervals.begin()) return {};
  const NodeRange& around = *std::prev(after);
  return {around.visit, thread, around.first, after == intervals.end() ? 0 : after->first - around.first};
}

void GraphModules::forget() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, thread] : threads_) {
    thread.visits.clear();
    thread.intervals.clear();
  }
}

}  // namespace strata::trainer
