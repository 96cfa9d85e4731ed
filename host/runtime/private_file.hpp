// SPDX-License-Identifier: Apache-2.0
// Files of a run: what is recorded says what a program does, and is its user's alone (0600). None is made
// through a name that is there already, as a link that somebody else put there.
#pragma once

#include <filesystem>
#include <string_view>

namespace strata {

// [any] An open file, new, to be written and read; -1 with errno where it cannot be made, EEXIST where
// something has that name. The caller closes it.
int create_private_file(const std::filesystem::path& file) noexcept;

// [any] Replaces `file` as a whole. Throws std::system_error and leaves it as it was.
void write_private_file(const std::filesystem::path& file, std::string_view text);

}  // namespace strata
