// SPDX-License-Identifier: Apache-2.0
// The process that has opened the real cuDNN, and its answers.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dry_gpu/cudnn/real/configurations.hpp"

namespace strata::dry_gpu::real_cudnn {

// One thread at a time. It is not a child of this process, so that a program that waits for its children does
// not find it. It ends when this object is destroyed, when an answer is late, and when this process ends.
class Asker {
 public:
  struct Start {
    std::filesystem::path program;  // strata_real_cudnn
    std::string library, device, profile;
    std::chrono::milliseconds longest_start{20'000}, longest_answer{10'000};
  };

  struct Started {
    std::unique_ptr<Asker> asker;  // null: see `problem`
    std::string problem;
  };
  static Started start(const Start& start);
  ~Asker();
  Asker(const Asker&) = delete;
  Asker& operator=(const Asker&) = delete;

  // Empty if cuDNN has no answer, or after a permanent failure, when `is_over` is set.
  std::optional<Configurations> configurations(std::int32_t mode, std::string_view graph);
  std::optional<Plan> plan(std::int32_t mode, std::size_t place, std::string_view graph);
  bool is_over() const { return socket_ < 0; }

  // In a forked child: leaves the asker to the parent.
  void leave();

 private:
  Asker(int socket, std::chrono::milliseconds longest_answer)
      : socket_(socket), longest_answer_(longest_answer) {}

  std::optional<std::string> ask(const std::string& request);
  void end();

  int socket_;
  const std::chrono::milliseconds longest_answer_;
};

// The environment for that process: without anything that would load the dry GPU into it, or make it look
// like part of the program.
std::vector<std::string> environment_of_asker(char** environment, const std::filesystem::path& dry_folder);

}  // namespace strata::dry_gpu::real_cudnn
