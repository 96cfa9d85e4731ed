// SPDX-License-Identifier: Apache-2.0
// The definitions that rows refer to, in a separate file next to the spools: tables, texts, facts of `meta`,
// and rows that were lost before they had a spool. An entry is in the file before any row that needs it is in
// a spool, so what a killed process leaves is complete.
//
// Entries are appended with write(2), which SIGKILL does not undo. The last one may be truncated, and then
// nothing refers to it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/runtime/store/spool_format.hpp"
#include "host/runtime/store/table.hpp"

namespace strata {

struct TableDefinition {
  std::uint32_t handle = 0;
  Table table;
};

struct TextDefinition {
  std::uint32_t id = 0;
  std::string text;
};

struct Fact {
  std::string key;
  std::string value;
};

using Definition = std::variant<TableDefinition, TextDefinition, Fact, Gap>;

inline constexpr std::string_view kDefinitionFile = "definitions";

class DefinitionLog {
 public:
  // Creates the file. Throws std::system_error.
  explicit DefinitionLog(const std::filesystem::path& file);
  ~DefinitionLog();
  DefinitionLog(const DefinitionLog&) = delete;
  DefinitionLog& operator=(const DefinitionLog&) = delete;

  // [any] If the file cannot be written, keeps the entry in memory; a later call writes it.
  void append(const Definition& definition);

  // [any] Writes the entries kept in memory. Throws std::system_error if the file still cannot be written.
  void flush();

  const std::filesystem::path& file() const noexcept { return file_; }

 private:
  int write_pending() noexcept;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::mutex mutex_;
  std::string pending_;
};

struct DefinitionBatch {
  std::vector<Definition> definitions;
  std::uint64_t end = 0;  // byte position after the last complete entry
  std::string problem;    // why reading stopped before the end of the file; empty for a truncated last entry
};

// Reads complete entries from byte `from` (0 at first). Throws std::runtime_error if the file cannot be read.
DefinitionBatch read_definitions(const std::filesystem::path& file, std::uint64_t from);

}  // namespace strata
