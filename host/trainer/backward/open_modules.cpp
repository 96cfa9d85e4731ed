// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/backward/open_modules.hpp"

#include <utility>

namespace strata::trainer {

void OpenModules::turn_to(const MadeNodes& nodes) {
  wanted_.clear();
  for (const ModuleVisit* visit = nodes.visit; visit != nullptr; visit = visit->outer)
    wanted_.push_back(visit);

  std::size_t depth = held_;
  while (depth < open_.size() && !wanted_.empty() && open_[depth].visit == wanted_.back()->ordinal) {
    wanted_.pop_back();
    ++depth;
  }
  end_down_to(depth);
  for (; !wanted_.empty(); wanted_.pop_back()) {
    const ModuleVisit& next = *wanted_.back();
    open_.push_back({next.ordinal, session_.begin_module(next.path, next.type, ModuleDirection::kBackward)});
  }
  nodes_ = nodes;
}

std::size_t OpenModules::hold() {
  return std::exchange(held_, open_.size());
}

void OpenModules::release(std::size_t held_before, bool failed) {
  end_down_to(failed ? held_before : held_);
  held_ = held_before;
}

void OpenModules::end_down_to(std::size_t depth) {
  if (open_.size() > depth) nodes_ = {};
  for (; open_.size() > depth; open_.pop_back()) session_.end_module(open_.back().range);
}

}  // namespace strata::trainer
