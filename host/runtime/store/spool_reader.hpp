// SPDX-License-Identifier: Apache-2.0
// Reads the records of a ring: of a live spool, or of a file left by a dead process, whose contents are
// untrusted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

#include "host/runtime/store/spool_format.hpp"

namespace strata {

// The bytes are not a complete spool.
class SpoolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SpoolRecord {
  std::uint32_t table = 0;  // a handle or kGapRecord
  std::span<const std::byte> payload;
};

class SpoolReader {
 public:
  // Reads from position `from` up to `to`. Throws SpoolError if the ring cannot contain that range.
  SpoolReader(std::span<const std::byte> ring, std::uint64_t from, std::uint64_t to);

  // The next record; none at `to`. Throws SpoolError if the bytes are not a record; `position` is then
  // unchanged.
  std::optional<SpoolRecord> next() {
    while (position_ != end_) {
      const std::uint64_t offset = position_ & (ring_.size() - 1);
      RecordHeader header;
      std::memcpy(&header, ring_.data() + offset, sizeof header);
      const std::uint64_t bytes = record_bytes(header.bytes);
      const std::uint64_t available = std::min(end_ - position_, ring_.size() - offset);
      if (bytes > available) throw_too_long(bytes, available);
      if (header.table == kPaddingRecord && offset + bytes != ring_.size()) throw_loose_padding();
      position_ += bytes;
      if (header.table != kPaddingRecord) [[likely]] {
        return SpoolRecord{header.table, ring_.subspan(offset + sizeof header, header.bytes)};
      }
    }
    return std::nullopt;
  }

  // The position after the last record that was read.
  std::uint64_t position() const noexcept { return position_; }

 private:
  [[noreturn]] void throw_too_long(std::uint64_t bytes, std::uint64_t available) const;
  [[noreturn]] void throw_loose_padding() const;

  std::span<const std::byte> ring_;
  std::uint64_t position_;
  std::uint64_t end_;
};

// A complete spool file with a valid header.
struct SpoolFile {
  std::uint64_t written = 0;
  std::vector<std::byte> ring;
  std::vector<Gap> open_gaps;
};

// Throws SpoolError if the file cannot be read or is not a spool.
SpoolFile read_spool_file(const std::filesystem::path& file);

}  // namespace strata
