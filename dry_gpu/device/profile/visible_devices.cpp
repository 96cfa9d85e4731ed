// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <numeric>
#include <string>

#include "dry_gpu/device/profile/attributes.hpp"

namespace strata::dry_gpu {
namespace {

// "GPU-73747261-7461-2d64-7279-2d6770750000"
std::string identity(int device) {
  std::string text = "GPU-";
  const CUuuid id = uuid(device);
  for (int index = 0; index < 16; ++index) {
    char hexadecimal[3];
    std::snprintf(hexadecimal, sizeof hexadecimal, "%02x", static_cast<unsigned char>(id.bytes[index]));
    if (index == 4 || index == 6 || index == 8 || index == 10) text += '-';
    text += hexadecimal;
  }
  return text;
}

// Nothing: the entry means no device, or more than one.
std::optional<int> device_of(std::string_view entry, int devices) {
  if (entry.starts_with("GPU-")) {
    std::optional<int> found;
    for (int device = 0; device < devices; ++device) {
      if (!identity(device).starts_with(entry)) continue;
      if (found) return std::nullopt;
      found = device;
    }
    return found;
  }
  int device = -1;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), device);
  const bool is_number = error == std::errc{} && end == entry.data() + entry.size();
  return is_number && device >= 0 && device < devices ? std::optional(device) : std::nullopt;
}

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

}  // namespace

std::vector<int> visible_devices(std::optional<std::string_view> variable, int devices) {
  std::vector<int> visible;
  if (!variable) {
    visible.resize(static_cast<std::size_t>(devices));
    std::iota(visible.begin(), visible.end(), 0);
    return visible;
  }
  std::string_view left = *variable;
  while (true) {
    const std::size_t comma = left.find(',');
    const std::optional<int> device = device_of(without_spaces(left.substr(0, comma)), devices);
    if (!device || std::ranges::find(visible, *device) != visible.end()) return visible;
    visible.push_back(*device);
    if (comma == std::string_view::npos) return visible;
    left.remove_prefix(comma + 1);
  }
}

}  // namespace strata::dry_gpu
