// SPDX-License-Identifier: Apache-2.0
// A folder of images: binary PPM files, each in a folder named after its class.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata::config {

// Whether the name is that of an image; other files may be in the same folders.
bool is_image_name(const std::filesystem::path& file);

// The class of an image: the name of its folder.
std::string image_class(const std::filesystem::path& file);

// All classes, sorted: the first one is class 0.
std::vector<std::string> image_classes(std::span<const std::filesystem::path> files);

// The error in the file, to append to its name; empty if it is a complete image. Reads only its header.
std::optional<std::string> image_problem(const std::filesystem::path& file);

}  // namespace strata::config
