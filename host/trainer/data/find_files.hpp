// Which files `data.path` means.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::trainer {

// Each entry of `paths` is a file, a folder (every regular file below it), or a pattern of glob(7), in which
// a component `**` stands for any number of folders. Files of one entry are sorted by path, byte by byte; a
// file that several entries name is listed once, at the first. Hidden files and folders are found only when
// named. Throws DataError for an entry that means no file.
std::vector<std::filesystem::path> find_files(const std::vector<std::string>& paths);

}  // namespace strata::trainer
