// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/record_format.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "host/runtime/store/big_endian.hpp"

namespace strata {
namespace {

// The type of a value in a record's header.
enum class SerialType : std::uint8_t { kNull = 0, kReal = 7, kZero = 8, kOne = 9 };

struct IntegerWidth {
  std::uint8_t serial_type;
  std::uint8_t bytes;
  std::uint8_t shift;  // that makes its first bit the first of 64
};

// By how many bits a number has, without its sign.
constexpr std::array<IntegerWidth, 64> kIntegerWidths = [] {
  constexpr IntegerWidth kWidths[] = {{1, 1, 56}, {2, 2, 48}, {3, 3, 40}, {4, 4, 32}, {5, 6, 16}, {6, 8, 0}};
  std::array<IntegerWidth, 64> widths{};
  for (unsigned bits = 0; bits < widths.size(); ++bits) {
    const auto* width = kWidths;
    while (bits >= 8U * width->bytes) ++width;
    widths[bits] = *width;
  }
  return widths;
}();

// Up to this many columns the header's size takes one byte.
constexpr std::size_t kShortHeader = 126;

template <typename T>
T field_at(const std::byte* place) noexcept {
  T value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

// Where a record's next value is written: its type into the header, and the value after the previous one.
struct Place {
  std::byte* type;
  std::byte* value;

  void put(SerialType serial_type) noexcept { *type++ = static_cast<std::byte>(serial_type); }

  void put_integer(std::int64_t number) noexcept {
    const auto bits = static_cast<std::uint64_t>(number);
    if (bits <= 1) return put(bits == 0 ? SerialType::kZero : SerialType::kOne);
    const std::uint64_t magnitude = bits ^ static_cast<std::uint64_t>(number >> 63);
    const IntegerWidth width = kIntegerWidths[static_cast<std::size_t>(std::bit_width(magnitude | 1))];
    *type++ = static_cast<std::byte>(width.serial_type);
    put_64(value, bits << width.shift);
    value += width.bytes;
  }

  void put_real(double number) noexcept {
    if (std::isnan(number)) return put(SerialType::kNull);
    put(SerialType::kReal);
    put_64(value, std::bit_cast<std::uint64_t>(number));
    value += sizeof number;
  }
};

}  // namespace

RecordFormat::RecordFormat(const Table& table)
    : header_bytes_(table.columns.size() + (table.columns.size() <= kShortHeader ? 1 : 2)),
      largest_bytes_(header_bytes_) {
  for (const Column& column : table.columns) {
    fields_.push_back({kind_of(column.type), column.offset});
    largest_bytes_ += fields_.back().kind == Kind::kInteger32 ? 6 : 8;
  }
}

RecordFormat::Kind RecordFormat::kind_of(std::uint32_t column_type) noexcept {
  switch (column_type) {
    case STRATA_COLUMN_UINT32:
    case STRATA_COLUMN_STRING:
      return Kind::kInteger32;
    case STRATA_COLUMN_REAL:
      return Kind::kReal;
    default:
      return Kind::kInteger64;  // unsigned ones too, bit for bit
  }
}

std::byte* RecordFormat::write(const std::byte* row, std::byte* record) const noexcept {
  Place next{record + (header_bytes_ - fields_.size()), record + header_bytes_};
  if (fields_.size() <= kShortHeader) {
    put_varint<1>(record, static_cast<std::uint32_t>(header_bytes_));
  } else {
    put_varint<2>(record, static_cast<std::uint32_t>(header_bytes_));
  }
  for (const Field field : fields_) {
    const std::byte* place = row + field.offset;
    if (field.kind == Kind::kInteger64) {
      next.put_integer(field_at<std::int64_t>(place));
    } else if (field.kind == Kind::kInteger32) {
      next.put_integer(std::int64_t{field_at<std::uint32_t>(place)});
    } else {
      next.put_real(field_at<double>(place));
    }
  }
  return next.value;
}

}  // namespace strata
