// SPDX-License-Identifier: Apache-2.0
// Answers of the real cuDNN that outlive the process: one file per question, in the user's cache folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dry_gpu/cudnn/real/configurations.hpp"

namespace strata::dry_gpu::real_cudnn {

// $XDG_CACHE_HOME/strata/cudnn, or ~/.cache/strata/cudnn; empty if neither variable names a folder.
std::filesystem::path answers_folder();

// [any thread, any number of processes]
class AnswerFiles {
 public:
  // `of`: the library and the device of the answers. With an empty folder nothing is kept.
  AnswerFiles(std::filesystem::path folder, std::string of);

  // Empty if there is no file, or none that is complete, owned by this user and for this question.
  std::optional<Configurations> read(std::string_view question) const;
  // Replaces the file atomically. Errors are ignored: the answer will be the same next time.
  void write(std::string_view question, const Configurations& answer) const;

  std::filesystem::path file_of(std::string_view question) const;

 private:
  std::string text_of_file(std::string_view question, const Configurations& answer) const;

  const std::filesystem::path folder_;
  const std::string of_;
};

}  // namespace strata::dry_gpu::real_cudnn
