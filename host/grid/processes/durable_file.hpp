// SPDX-License-Identifier: Apache-2.0
// Files that are there whole or not at all, also after a crash of the machine.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace strata::grid {

// Nothing can be written there; the message says what and why.
class WriteError : public std::runtime_error {
 public:
  WriteError(const std::filesystem::path& file, int error);
  // The disk, the quota or the file size limit is at its end: what could be done once there is room again.
  bool no_room() const noexcept { return no_room_; }

 private:
  bool no_room_;
};

bool means_no_room(int error);

// Beside the file first, to the disk, then renamed. Throws WriteError.
void write_durably(const std::filesystem::path& file, std::string_view text);

// The whole file; empty where there is none. Throws std::runtime_error where it cannot be read.
std::string read_if_there(const std::filesystem::path& file);

}  // namespace strata::grid
