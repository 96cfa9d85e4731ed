// SPDX-License-Identifier: Apache-2.0
// Files of a run. A recording reveals what a program does, so only its user may read it (0600). A file is
// never created through an existing name, such as a link made by another user.
#pragma once

#include <filesystem>
#include <string_view>

namespace strata {

// [any] Creates and opens a new file for reading and writing. Returns -1 with errno if that fails, with
// EEXIST if the name exists. The caller closes it.
int create_private_file(const std::filesystem::path& file) noexcept;

// [any] Replaces `file` as a whole. On an error throws std::system_error and leaves the file as it was.
void write_private_file(const std::filesystem::path& file, std::string_view text);

}  // namespace strata
