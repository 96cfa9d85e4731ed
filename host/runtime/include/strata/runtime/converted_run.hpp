// SPDX-License-Identifier: Apache-2.0
// Writes a run whose events happened earlier and were recorded by somebody else, in the form of a recorded
// one: a manifest, and a run store of one process (docs/run-store.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "strata/runtime/export.hpp"

struct strata_table;  // strata/ext/store.h

namespace strata {

// A moment of a converted run. Sequences of all events are in one order, like those of a recorded run.
struct ConvertedMoment {
  std::uint64_t sequence = 0;
  std::int64_t monotonic_ns = 0;
};

// One at a time in a process, and not while it records. Every function throws std::runtime_error with the
// file and the reason if it cannot write.
class STRATA_RUNTIME_EXPORT ConvertedRun {
 public:
  // The folder exists.
  ConvertedRun(const std::filesystem::path& run_directory, const std::string& name);
  // Without `finish` the store is left as that of a failed run.
  ~ConvertedRun();
  ConvertedRun(const ConvertedRun&) = delete;
  ConvertedRun& operator=(const ConvertedRun&) = delete;

  // As a plugin's: returns the handle of the table <plugin_id>_<table.name>. The host's tables are there.
  std::uint32_t declare(std::string_view plugin_id, const strata_table& table);
  void append(std::uint32_t table, const void* row);
  // The id of a text, for columns of type STRATA_COLUMN_STRING.
  std::uint32_t intern(std::string_view text);

  // `realtime_ns` since 1970.
  void begin(const ConvertedMoment& moment, std::int64_t realtime_ns);
  void begin_step(const ConvertedMoment& moment, std::uint64_t step);
  void end_step(const ConvertedMoment& moment, std::uint64_t step);

  // A section of the manifest, as JSON.
  void describe(std::string_view section, std::string_view json);
  // Ends the run, and waits until all rows are in the store.
  void finish(const ConvertedMoment& moment, std::int64_t realtime_ns);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace strata
