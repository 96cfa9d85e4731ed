// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/number_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>

#include "host/config/reading/value.hpp"

namespace strata::config {
namespace {

enum class Kind { kFlag, kInteger, kReal };

struct Description {
  Kind kind;
  unsigned bits;
  std::int64_t least, most;  // of an integer
  int mantissa_bits;         // of a real, as they are stored
};

constexpr std::array<std::string_view, 10> kNames = {"bool",  "uint8",   "int8",     "int16",   "int32",
                                                     "int64", "float16", "bfloat16", "float32", "float64"};

template <typename Integer>
constexpr Description integer_type() {
  return {Kind::kInteger, 8 * sizeof(Integer), std::numeric_limits<Integer>::min(),
          std::numeric_limits<Integer>::max(), 0};
}

constexpr std::array<Description, kNames.size()> kTypes = {{{Kind::kFlag, 8, 0, 1, 0},
                                                            integer_type<std::uint8_t>(),
                                                            integer_type<std::int8_t>(),
                                                            integer_type<std::int16_t>(),
                                                            integer_type<std::int32_t>(),
                                                            integer_type<std::int64_t>(),
                                                            {Kind::kReal, 16, 0, 0, 10},
                                                            {Kind::kReal, 16, 0, 0, 7},
                                                            {Kind::kReal, 32, 0, 0, 23},
                                                            {Kind::kReal, 64, 0, 0, 52}}};

std::optional<double> parse_any_real(std::string_view text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  if (text == ".inf" || text == "+.inf") return kInfinity;
  if (text == "-.inf") return -kInfinity;
  return parse_real(text);
}

// IEEE 754's interchange formats, and bfloat16, which is made like them.
std::optional<std::uint64_t> real_bits(double value, unsigned bits, int mantissa_bits) {
  const int exponent_bits = static_cast<int>(bits) - 1 - mantissa_bits;
  const std::uint64_t sign = std::signbit(value) ? std::uint64_t{1} << (bits - 1) : 0;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1) << mantissa_bits;
  if (std::isnan(value)) return infinity | (std::uint64_t{1} << (mantissa_bits - 1));
  if (std::isinf(value)) return sign | infinity;
  if (mantissa_bits == 52) return std::bit_cast<std::uint64_t>(value);
  const double size = std::abs(value);
  if (size == 0) return sign;
  const int least_exponent = 2 - (1 << (exponent_bits - 1));
  const int exponent = std::max(std::ilogb(size), least_exponent);
  // A normal number's mantissa has its leading one here, which adds the one that its exponent lacks.
  const auto mantissa =
      static_cast<std::uint64_t>(std::nearbyint(std::ldexp(size, mantissa_bits - exponent)));
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(exponent - least_exponent) << mantissa_bits) + mantissa;
  if (magnitude >= infinity) return std::nullopt;
  return sign | magnitude;
}

std::optional<std::uint64_t> bits_of(const Description& type, std::string_view text) {
  switch (type.kind) {
    case Kind::kFlag:
      if (const auto flag = parse_flag(text)) return *flag ? 1 : 0;
      return std::nullopt;
    case Kind::kInteger:
      if (const auto number = parse_integer(text); number && *number >= type.least && *number <= type.most)
        return static_cast<std::uint64_t>(*number);
      return std::nullopt;
    case Kind::kReal:
      if (const auto number = parse_any_real(text)) return real_bits(*number, type.bits, type.mantissa_bits);
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::span<const std::string_view> NumberType::names() {
  return kNames;
}

std::optional<NumberType> NumberType::find(std::string_view name) {
  const auto found = std::ranges::find(kNames, name);
  if (found == kNames.end()) return std::nullopt;
  return NumberType(static_cast<std::size_t>(std::distance(kNames.begin(), found)));
}

std::uint64_t NumberType::bytes() const {
  return kTypes[index_].bits / 8;
}

std::string NumberType::expectation() const {
  const Description& type = kTypes[index_];
  switch (type.kind) {
    case Kind::kFlag:
      return "true or false";
    case Kind::kInteger:
      return fmt::format("an integer from {} to {}", type.least, type.most);
    case Kind::kReal:
      break;
  }
  return fmt::format("a number in {}'s range, .inf, -.inf or .nan", kNames[index_]);
}

std::optional<std::string> NumberType::encode(std::string_view text) const {
  const auto bits = bits_of(kTypes[index_], text);
  if (!bits) return std::nullopt;
  std::string hexadecimal;
  for (unsigned shift = 0; shift < kTypes[index_].bits; shift += 8)
    hexadecimal += fmt::format("{:02x}", (*bits >> shift) & 0xff);
  return hexadecimal;
}

}  // namespace strata::config
