// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/memory_counts/process_memory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace strata::torch_source {
namespace {

// The beginning of a file, as much as fits; empty if it cannot be read. Opened anew each time: a file of
// /proc/self opened before a fork still describes the parent.
class SmallFile {
 public:
  explicit SmallFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t bytes = read(file, text_.data(), text_.size());
    if (bytes > 0) bytes_ = static_cast<std::size_t>(bytes);
    close(file);
  }

  std::string_view text() const { return {text_.data(), bytes_}; }

 private:
  std::array<char, 4096> text_{};
  std::size_t bytes_ = 0;
};

std::optional<std::uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> resident_bytes(const char* statm) {
  const SmallFile file(statm);
  const std::string_view text = file.text();
  const std::size_t second = text.find(' ');
  if (second == std::string_view::npos) return std::nullopt;
  static const auto page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::optional<std::uint64_t> pages = leading_number(text.substr(second));
  return pages ? std::optional(*pages * page_bytes) : std::nullopt;
}

std::optional<std::uint64_t> peak_resident_bytes(const char* status) {
  static constexpr std::string_view kKey = "VmHWM:";
  const SmallFile file(status);
  const std::size_t key = file.text().find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  const std::optional<std::uint64_t> kibibytes = leading_number(file.text().substr(key + kKey.size()));
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

}  // namespace strata::torch_source
