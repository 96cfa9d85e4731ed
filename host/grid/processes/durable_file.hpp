// SPDX-License-Identifier: Apache-2.0
// Files written completely or not at all, even if the machine crashes.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace strata::grid {

// A file cannot be written; the message names it and the reason.
class WriteError : public std::runtime_error {
 public:
  WriteError(const std::filesystem::path& file, int error);
  // The disk, the quota or the file size limit is exhausted: it may work once there is space.
  bool no_room() const noexcept { return no_room_; }

 private:
  bool no_room_;
};

bool means_no_room(int error);

// Writes next to the file, syncs, then renames. Throws WriteError.
void write_durably(const std::filesystem::path& file, std::string_view text);

// The whole file; empty if it does not exist. Throws std::runtime_error if it cannot be read.
std::string read_if_there(const std::filesystem::path& file);

}  // namespace strata::grid
