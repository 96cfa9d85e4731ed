// SPDX-License-Identifier: Apache-2.0
// A command's output file, written completely or not at all, or standard output.
#pragma once

#include <filesystem>
#include <string>

#include "host/export/output.hpp"

namespace strata::cli {

// Including parents. Throws UsageError if it cannot be created.
void make_output_folder(const std::filesystem::path& folder);

// Writes next to the file, and renames it when complete. Until then an existing file remains, and a killed
// process leaves nothing if the file system supports unnamed files (O_TMPFILE); otherwise FILE.<pid>.part. An
// existing non-file, such as a pipe or /dev/null, is written directly. "-" is standard output.
class OutputFile : public exports::Output {
 public:
  // Throws UsageError if it is not writable.
  explicit OutputFile(const std::string& name);
  // Removes uncommitted output.
  ~OutputFile() override;

  // These throw std::runtime_error on a full disk or a closed pipe.
  void write(std::string_view bytes) override;
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string name_;
  int descriptor_ = -1;
  bool is_nameless_ = false;             // until `commit`
  std::filesystem::path target_, part_;  // empty if written directly
};

}  // namespace strata::cli
