// SPDX-License-Identifier: Apache-2.0
// Where a process builds its run store. SQLite's log and shared mappings need a local file system: on a
// network one the store is built in the machine's temporary folder and moved when it is closed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace strata {

class StorePlace {
 public:
  // For a new store. With `elsewhere`, makes a local folder and leaves <pid>.local in the rank folder, which
  // says where and on which machine. Throws std::system_error, std::filesystem::filesystem_error.
  static StorePlace create(const std::filesystem::path& rank_folder, std::uint32_t pid, bool elsewhere);
  // Of a store that exists: where it is being built, going by <pid>.local. Empty when that is another
  // machine's, or when the folder does not say in turn that it builds for this one: a run may come from
  // anybody, and what is built elsewhere is removed there.
  static std::optional<StorePlace> find(const std::filesystem::path& rank_folder, std::uint32_t pid);

  // Where it ends up: <rank folder>/<pid>.sqlite.
  std::filesystem::path final_database() const { return in_rank_folder(".sqlite"); }
  // Where it is built.
  std::filesystem::path database() const { return folder_ / (pid_ + ".sqlite"); }
  // Spools and definitions, beside `database`.
  std::filesystem::path spool_folder() const { return folder_ / (pid_ + ".spool"); }
  // A file in `spool_folder` that the process holds a lock on (flock) for as long as it lives.
  std::filesystem::path owner_file() const { return spool_folder() / "owner"; }

  // Whether something is left to drain, or a drained store is not in its final place yet.
  bool is_unsettled() const;

  // Once the store is closed and drained: moves it to its final place in one step, and removes the spool
  // folder after that, so that whoever is killed in the middle leaves what recovery finds. May be called
  // again. Throws std::filesystem::filesystem_error.
  void settle() const;

 private:
  StorePlace(std::filesystem::path rank_folder, std::filesystem::path folder, std::uint32_t pid);
  bool is_elsewhere() const { return folder_ != rank_folder_; }
  void move_home() const;
  std::filesystem::path home_file() const { return folder_ / (pid_ + ".home"); }
  std::filesystem::path in_rank_folder(const char* extension) const {
    return rank_folder_ / (pid_ + extension);
  }

  std::filesystem::path rank_folder_;
  std::filesystem::path folder_;
  std::string pid_;
};

}  // namespace strata
