// SPDX-License-Identifier: Apache-2.0
// The unwind table of a library (.eh_frame) as bytes, and the data shared by its entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace strata::allocator_tracer {

// DWARF's number on x86-64 of the column with the return address.
inline constexpr std::uint64_t kReturnAddress = 16;

// The bytes of a table, which the loader mapped with its library: as trustworthy as its code.
class Bytes {
 public:
  Bytes(const unsigned char* begin, const unsigned char* end) : next_(begin), end_(end) {}

  bool is_empty() const { return next_ >= end_; }
  const unsigned char* next() const { return next_; }
  void skip(std::size_t bytes) { next_ += bytes; }

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, next_, sizeof value);
    next_ += sizeof value;
    return value;
  }

  std::uint64_t unsigned_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const unsigned char byte = *next_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0 || shift > 56) return value;
    }
  }

  std::int64_t signed_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const unsigned char byte = *next_++;
      value |= std::uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0 && shift < 63) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }

 private:
  const unsigned char* next_;
  const unsigned char* end_;
};

// Data shared by all entries of one compilation unit.
struct CommonEntry {
  Bytes instructions{nullptr, nullptr};
  std::uint64_t code_alignment = 1;
  std::int64_t data_alignment = 1;
  bool has_augmentation = false, is_known = false;
  std::size_t pointer_bytes = 8;
};

// `entry` points to the first byte of a common information entry.
CommonEntry read_common_entry(const unsigned char* entry);

}  // namespace strata::allocator_tracer
