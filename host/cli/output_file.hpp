// SPDX-License-Identifier: Apache-2.0
// Where a command's own file goes: there whole or not at all, or standard output.
#pragma once

#include <filesystem>
#include <string>

#include "host/export/output.hpp"

namespace strata::cli {

// With those that it lies in. Throws UsageError where it cannot be made.
void make_output_folder(const std::filesystem::path& folder);

// Writes beside the file, and renames when all is written: until then the file that was there stays, and a
// process that is killed leaves nothing, where the file system has files without a name (O_TMPFILE);
// elsewhere FILE.<pid>.part. What is no file but is there, such as a pipe or /dev/null, is written into. "-"
// is standard output.
class OutputFile : public exports::Output {
 public:
  // Throws UsageError when nothing can be written there.
  explicit OutputFile(const std::string& name);
  // Takes back what was not committed.
  ~OutputFile() override;

  // These throw std::runtime_error, on a full disk or a closed pipe.
  void write(std::string_view bytes) override;
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string name_;
  int descriptor_ = -1;
  bool is_nameless_ = false;             // until `commit`
  std::filesystem::path target_, part_;  // empty when it is written into as it is
};

}  // namespace strata::cli
