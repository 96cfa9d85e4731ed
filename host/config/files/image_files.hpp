// SPDX-License-Identifier: Apache-2.0
// A folder of images: binary PPM files, each in the folder that its class is called after.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata::config {

// Whether its name says that it is an image; other files may lie beside them.
bool is_image_name(const std::filesystem::path& file);

// The class of an image: the name of the folder that it lies in.
std::string image_class(const std::filesystem::path& file);

// The classes of all, sorted: the first is class 0.
std::vector<std::string> image_classes(std::span<const std::filesystem::path> files);

// What is wrong with the file, to follow its name; nothing when it is a whole image. Reads its header only.
std::optional<std::string> image_problem(const std::filesystem::path& file);

}  // namespace strata::config
