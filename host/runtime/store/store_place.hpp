// SPDX-License-Identifier: Apache-2.0
// Where a process builds its run store. SQLite's log and shared mappings need a local file system: for a
// network file system the store is built in the machine's temporary folder and moved when it is closed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace strata {

class StorePlace {
 public:
  // For a new store. With `elsewhere`, creates a local folder and leaves <pid>.local in the rank folder,
  // which names the folder and the machine. Throws std::system_error, std::filesystem::filesystem_error.
  static StorePlace create(const std::filesystem::path& rank_folder, std::uint32_t pid, bool elsewhere);
  // For an existing store: where it is being built, according to <pid>.local. Empty if that is on another
  // machine, or if the local folder does not in turn name this rank folder: a run may come from an untrusted
  // source, and the folder elsewhere is removed later.
  static std::optional<StorePlace> find(const std::filesystem::path& rank_folder, std::uint32_t pid);

  // Its final path: <rank folder>/<pid>.sqlite.
  std::filesystem::path final_database() const { return in_rank_folder(".sqlite"); }
  // Where it is built.
  std::filesystem::path database() const { return folder_ / (pid_ + ".sqlite"); }
  // Spools and definitions, next to `database`.
  std::filesystem::path spool_folder() const { return folder_ / (pid_ + ".spool"); }
  // A file in `spool_folder` on which the process holds a lock (flock) as long as it lives.
  std::filesystem::path owner_file() const { return spool_folder() / "owner"; }

  // Whether data remain to be drained, or a drained store is not in its final place yet.
  bool is_unsettled() const;

  // After the store is closed and drained: moves it atomically to its final place, then removes the spool
  // folder. If the process is killed in between, recovery can continue. May be called again. Throws
  // std::filesystem::filesystem_error.
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
