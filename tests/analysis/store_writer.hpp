// Writes run directories as docs/run-store.md describes them, tables and views.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "host/analysis/recording.hpp"

struct sqlite3;

namespace strata::analysis::testing {

// A folder that is gone with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Writes `run` as <directory>/rank<rank>/<pid>.sqlite and returns that path.
std::filesystem::path write_store(const std::filesystem::path& directory, const Recording& run, int rank = 0,
                                  int pid = 7);

// Runs SQL on a store, to damage it.
void run_sql(const std::filesystem::path& store, const std::string& sql);

}  // namespace strata::analysis::testing
