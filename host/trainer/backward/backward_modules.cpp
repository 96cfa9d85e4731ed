// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/backward/backward_modules.hpp"

#include <torch/csrc/autograd/engine.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

namespace strata::trainer {
namespace {

std::atomic<BackwardModules*> telling = nullptr;

// One node while it runs.
struct NodeRun final : at::ObserverContext {
  explicit NodeRun(OpenModules& open_modules) : open(open_modules), held_before(open_modules.hold()) {}

  OpenModules& open;
  std::size_t held_before;
};

// Ranges that are open after the last node end then, on the thread that ran it. Autograd calls back on that
// thread before it returns to the caller of backward.
void end_with_backward(OpenModules& open, std::uint64_t thread) {
  torch::autograd::Engine::get_default_engine().queue_callback([&open, thread] {
    if (at::RecordFunction::currentThreadId() == thread) open.end_all();
  });
}

}  // namespace

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

BackwardModules::BackwardModules(Session& session) : session_(session) {
  BackwardModules* nobody = nullptr;
  if (!telling.compare_exchange_strong(nobody, this))
    throw std::logic_error("BackwardModules: another one already observes this process's backward");
  callback_ = at::addGlobalCallback(
      at::RecordFunctionCallback(&begin_node, &end_node).scopes({at::RecordScope::BACKWARD_FUNCTION}));
}

BackwardModules::~BackwardModules() {
  at::removeCallback(callback_);
  telling = nullptr;
}

std::unique_ptr<at::ObserverContext> BackwardModules::begin_node(const at::RecordFunction& node) {
  BackwardModules* const modules = telling.load();
  if (modules == nullptr) return nullptr;
  OpenModules& open = modules->open_on(node.threadId());
  const auto sequence = static_cast<std::uint64_t>(node.seqNr());
  const std::uint64_t thread = node.forwardThreadId();
  // An AccumulateGrad has no number, and runs at once after the node that made its gradient.
  if (node.seqNr() >= 0 && !open.are_of(thread, sequence)) {
    const bool was_empty = open.empty();
    open.turn_to(modules->graph_.nodes_around(thread, sequence));
    if (was_empty && !open.empty()) end_with_backward(open, node.threadId());
  }
  return std::make_unique<NodeRun>(open);
}

void BackwardModules::end_node(const at::RecordFunction&, at::ObserverContext* context) {
  if (context == nullptr) return;
  const NodeRun& run = static_cast<NodeRun&>(*context);
  run.open.release(run.held_before, std::uncaught_exceptions() > 0);
}

OpenModules& BackwardModules::open_on(std::uint64_t thread) {
  const std::lock_guard lock(mutex_);
  return threads_.try_emplace(thread, session_).first->second;
}

}  // namespace strata::trainer
