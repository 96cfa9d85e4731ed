// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/image_files.hpp"

#include <array>
#include <cstddef>
#include <fstream>
#include <set>
#include <stdexcept>
#include <system_error>

#include "host/config/files/ppm_header.hpp"

namespace strata::config {

bool is_image_name(const std::filesystem::path& file) {
  return file.extension() == ".ppm";
}

std::string image_class(const std::filesystem::path& file) {
  return file.parent_path().filename().string();
}

std::vector<std::string> image_classes(std::span<const std::filesystem::path> files) {
  std::set<std::string> classes;
  for (const std::filesystem::path& file : files) classes.insert(image_class(file));
  return {classes.begin(), classes.end()};
}

std::optional<std::string> image_problem(const std::filesystem::path& file) {
  std::array<char, kMostPpmHeaderBytes> beginning{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(beginning.data(), beginning.size());
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(file, error);
  if (error || stream.bad())
    return "cannot be read; check that it is a file and that you have permission to read it";
  try {
    read_ppm_header(std::as_bytes(std::span(beginning).first(static_cast<std::size_t>(stream.gcount()))),
                    bytes);
  } catch (const std::invalid_argument& invalid) {
    return invalid.what();
  }
  return std::nullopt;
}

}  // namespace strata::config
