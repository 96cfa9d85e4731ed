// SPDX-License-Identifier: Apache-2.0
// Asks the real cuDNN each question only once: answers to this process are in memory, answers to any process
// in files, and only the rest needs the process that has opened the library.
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

// The configurations for a graph, from one of cuDNN's heuristics.
struct Question {
  std::int32_t mode = 0;
  std::string graph;      // in the form of description.hpp
  Configurations answer;  // its plans are guarded by the client's lock; the rest never changes
};

// [any thread]: every function takes its one lock, and may start a process and wait for it.
class Client {
 public:
  using Start = std::function<Asker::Started()>;
  using Say = std::function<void(const std::string& problem)>;

  // `start` is called when the first answer is needed that is not stored, and not again after it has failed.
  // `say` is called once with the reason when questions are no longer possible.
  Client(AnswerFiles files, Start start, Say say);

  // Null if cuDNN cannot be asked, or has no configuration for the graph.
  std::shared_ptr<Question> ask(std::int32_t mode, const std::string& graph);
  // Empty if cuDNN cannot be asked.
  std::optional<Plan> plan(Question& question, std::size_t place);

  // Call around a fork: the lock must be free when the child is created, and the asker remains the parent's.
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

// The question's form in a file.
std::string text_of(std::int32_t mode, const std::string& graph);

}  // namespace strata::dry_gpu::real_cudnn
