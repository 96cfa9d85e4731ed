// SPDX-License-Identifier: Apache-2.0
// Answers of the real cuDNN that outlive the process: a file for each question, in the user's cache folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "dry_gpu/cudnn/real/configurations.hpp"

namespace strata::dry_gpu::real_cudnn {

// $XDG_CACHE_HOME/strata/cudnn, or ~/.cache/strata/cudnn; empty: neither variable names a folder.
std::filesystem::path answers_folder();

// [any thread, any number of processes]
class AnswerFiles {
 public:
  // `of`: which library and which device the answers are of. An empty folder: nothing is kept.
  AnswerFiles(std::filesystem::path folder, std::string of);

  // Nothing: there is no file, or none that is whole, one's own and of this question.
  std::optional<Configurations> read(std::string_view question) const;
  // Takes the file's place in one piece. What cannot be written is not kept, in silence: the answer is the
  // same the next time.
  void write(std::string_view question, const Configurations& answer) const;

  std::filesystem::path file_of(std::string_view question) const;

 private:
  std::string text_of_file(std::string_view question, const Configurations& answer) const;

  const std::filesystem::path folder_;
  const std::string of_;
};

}  // namespace strata::dry_gpu::real_cudnn
