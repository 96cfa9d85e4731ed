// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/computation.hpp"

#include "dry_gpu/device/memory/value_at.hpp"

namespace strata::dry_gpu {
namespace {

using Kind = Computation::Kind;

template <typename Number>
std::vector<std::byte> computed(const Computation& by, std::span<const std::byte> operand) {
  const auto number = value_at<Number>(by.number.data());
  std::vector<std::byte> result;
  const auto add = [&](auto value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    result.insert(result.end(), bytes.begin(), bytes.end());
  };
  for (std::size_t offset = 0; offset < operand.size(); offset += sizeof(Number)) {
    const auto value = value_at<Number>(operand.data(), offset);
    switch (by.kind) {
      case Kind::kAdd:
        add(static_cast<Number>(value + number));
        break;
      case Kind::kSubtract:
        add(static_cast<Number>(value - number));
        break;
      case Kind::kMultiply:
        add(static_cast<Number>(value * number));
        break;
      case Kind::kDivide:
        add(static_cast<Number>(value / number));
        break;
      case Kind::kEqual:
        add(value == number);
        break;
      case Kind::kUnequal:
        add(value != number);
        break;
      case Kind::kFill:
        break;
    }
  }
  return result;
}

}  // namespace

std::optional<std::vector<std::byte>> compute(const Computation& computation,
                                              std::span<const std::byte> operand, std::uint32_t elements) {
  if (computation.kind == Kind::kFill) {
    std::vector<std::byte> filled;
    for (std::uint32_t element = 0; element < elements; ++element)
      filled.insert(filled.end(), computation.number.begin(),
                    computation.number.begin() + computation.element_bytes);
    return filled;
  }
  switch (computation.type) {
    case 'f':
      return computed<float>(computation, operand);
    case 'd':
      return computed<double>(computation, operand);
    case 'i':
      if (computation.kind == Kind::kDivide) return std::nullopt;
      return computed<std::int32_t>(computation, operand);
    case 'l':
      if (computation.kind == Kind::kDivide) return std::nullopt;
      return computed<std::int64_t>(computation, operand);
    default:
      return std::nullopt;
  }
}

}  // namespace strata::dry_gpu
