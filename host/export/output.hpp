// SPDX-License-Identifier: Apache-2.0
// The destination of an export, written in pieces, and the callback for its progress.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace strata::exports {

// A file, a pipe, or a compressor in front of one. `write` throws if the bytes cannot be written.
class Output {
 public:
  Output() = default;
  virtual ~Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  virtual void write(std::string_view bytes) = 0;
};

// Collects small appends into pieces of 64 KiB, so that an export holds at most one of them. Unflushed data
// is lost.
class Buffer {
 public:
  explicit Buffer(Output& output) : output_(output) {}

  void append(std::string_view bytes) {
    bytes_.append(bytes.data(), bytes.data() + bytes.size());
    if (bytes_.size() >= kPieceBytes) flush();
  }

  template <typename... Arguments>
  void format(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(bytes_), format, std::forward<Arguments>(arguments)...);
    if (bytes_.size() >= kPieceBytes) flush();
  }

  void flush() {
    output_.write({bytes_.data(), bytes_.size()});
    bytes_.clear();
  }

 private:
  static constexpr std::size_t kPieceBytes = 64 << 10;

  Output& output_;
  fmt::memory_buffer bytes_;
};

// Called occasionally with the number of rows written and the total. An exception ends the export.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

class RowCount {
 public:
  RowCount(const Progress& progress, std::uint64_t total) : progress_(progress), total_(total) {}

  void add() {
    if (++done_ % kRowsBetween == 0 && progress_) progress_(done_, total_);
  }

 private:
  static constexpr std::uint64_t kRowsBetween = 4096;

  const Progress& progress_;
  std::uint64_t total_, done_ = 0;
};

}  // namespace strata::exports
