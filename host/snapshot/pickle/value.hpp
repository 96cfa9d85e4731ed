// SPDX-License-Identifier: Apache-2.0
// A value of a pickle in eight bytes: a snapshot may have a hundred million of them.
#pragma once

#include <cstdint>

namespace strata::snapshot {

enum class Kind : std::uint8_t {
  kNone,
  kBool,
  kInteger,      // of 61 bits, in the value itself
  kWideInteger,  // the number of one with 64 bits
  kReal,         // the number of a float
  kText,         // the number of a text
  kBytes,        // whose content nobody needs
  kObject,       // the number of a list, a tuple, a dict or a record
};

class Value {
 public:
  Value() = default;
  Value(Kind kind, std::uint64_t payload) : bits_(payload << 3 | static_cast<std::uint64_t>(kind)) {}

  Kind kind() const { return static_cast<Kind>(bits_ & 7); }
  std::uint64_t payload() const { return bits_ >> 3; }
  std::int64_t small_integer() const { return static_cast<std::int64_t>(bits_) >> 3; }
  bool operator==(const Value&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace strata::snapshot
