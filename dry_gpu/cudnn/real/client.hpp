// SPDX-License-Identifier: Apache-2.0
// Questions to the real cuDNN, each asked once: what this process has asked is in its memory, what any has
// asked is in files, and only the rest needs the process that has opened the library.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "dry_gpu/cudnn/real/answer_files.hpp"
#include "dry_gpu/cudnn/real/asker.hpp"
#include "dry_gpu/cudnn/real/configurations.hpp"

namespace strata::dry_gpu::real_cudnn {

// Which configurations there are for a graph, by one of cuDNN's heuristics.
struct Question {
  std::int32_t mode = 0;
  std::string graph;      // as description.hpp has it
  Configurations answer;  // its plans are guarded by the client's lock; else it stays as it is
};

// [any thread]: every function takes its one lock, and may start a process and wait for it.
class Client {
 public:
  using Start = std::function<Asker::Started()>;
  using Say = std::function<void(const std::string& problem)>;

  // `start` is called when the first answer is needed that is not kept, and no second time once it has
  // failed; `say` is told why nothing can be asked any more, once.
  Client(AnswerFiles files, Start start, Say say);

  // Null: cuDNN cannot be asked, or has no configuration for the graph.
  std::shared_ptr<Question> ask(std::int32_t mode, const std::string& graph);
  // Nothing: cuDNN cannot be asked.
  std::optional<Plan> plan(Question& question, std::size_t place);

  // Around a fork: no other thread may hold the lock when the child is made, and the asker is the parent's.
  void before_fork() { mutex_.lock(); }
  void after_fork_in_parent() { mutex_.unlock(); }
  void after_fork_in_child();

 private:
  Asker* asker();
  void check();

  const AnswerFiles files_;
  const Start start_;
  const Say say_;
  std::mutex mutex_;
  std::map<std::pair<std::int32_t, std::string>, std::shared_ptr<Question>> known_;
  std::unique_ptr<Asker> asker_;
  bool has_failed_ = false;
};

// What stands for the question in a file.
std::string text_of(std::int32_t mode, const std::string& graph);

}  // namespace strata::dry_gpu::real_cudnn
