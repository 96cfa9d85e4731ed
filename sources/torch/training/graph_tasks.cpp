// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/graph_tasks.hpp"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>

#include <memory>
#include <mutex>
#include <set>
#include <utility>

namespace strata::torch_source {
namespace {

constexpr int kNoTask = -1;

class OpenTasks {
 public:
  enum class Added { kOutermost, kNested, kKnown };
  Added add(int task) {
    const std::lock_guard lock(mutex_);
    if (!open_.insert(task).second) return Added::kKnown;
    return open_.size() == 1 ? Added::kOutermost : Added::kNested;
  }
  bool holds_several() {
    const std::lock_guard lock(mutex_);
    return open_.size() > 1;
  }
  // Whether it was open, and the last one.
  bool remove(int task) {
    const std::lock_guard lock(mutex_);
    return open_.erase(task) == 1 && open_.empty();
  }

 private:
  std::mutex mutex_;
  std::set<int> open_;
};

thread_local bool keeps_a_graph = false;

OpenTasks& open_tasks() {
  static auto& tasks = *new OpenTasks;  // NOLINT: not destroyed at exit, where backward may be under way
  return tasks;
}

// Kept by the engine's own task until it is done with or, after an exception, thrown away: either ends it.
class TaskEnd {
 public:
  TaskEnd(int task, void (*call)(bool)) : task_(task), call_(call) {}
  ~TaskEnd() { end(false); }
  TaskEnd(const TaskEnd&) = delete;
  TaskEnd& operator=(const TaskEnd&) = delete;

  void end(bool completed) {
    if (open_tasks().remove(std::exchange(task_, kNoTask))) call_(completed);
  }

 private:
  int task_;
  void (*call_)(bool);
};

}  // namespace

void follow_graph_task(const GraphTaskCalls& calls) {
  thread_local int last = kNoTask;
  const int task = torch::autograd::get_current_graph_task_id();
  keeps_a_graph = c10::GradMode::is_enabled();  // where a node begins it is the graph's own
  if (task == kNoTask || task == last) return;
  last = task;
  const OpenTasks::Added added = open_tasks().add(task);
  if (added == OpenTasks::Added::kKnown) return;
  const auto end = std::make_shared<TaskEnd>(task, calls.end);
  torch::autograd::Engine::get_default_engine().queue_callback([end] { end->end(true); });
  if (added == OpenTasks::Added::kOutermost) calls.begin();
}

bool is_nested_graph_task() {
  return open_tasks().holds_several();
}

bool records_its_own_graph() {
  return keeps_a_graph;
}

bool is_in_graph_task() {
  return torch::autograd::get_current_graph_task_id() != kNoTask;
}

}  // namespace strata::torch_source
