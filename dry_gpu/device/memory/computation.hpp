// SPDX-License-Identifier: Apache-2.0
// What a kernel does to known values: which blocks it may write to, and which numbers it computes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

// Of each element, with a number that is an argument of the kernel.
struct Computation {
  enum class Kind : std::uint8_t { kFill, kAdd, kSubtract, kMultiply, kDivide, kEqual, kUnequal };
  Kind kind;
  char type;  // of the elements, a builtin's letter in mangled names; for kFill '\0': any
  std::uint32_t element_bytes;
  std::array<std::byte, 8> number;  // of that type; for kFill its first `element_bytes`
};

struct KernelEffect {
  // A range that the computation gives a value; for kFill, `source_bytes` is 0.
  struct Result {
    Address target, source;
    std::uint32_t elements, source_bytes;
  };
  // It may write to the blocks around these addresses, and to no others.
  std::vector<Address> written = {};
  std::vector<Address> perhaps_written = {};  // the same, but not to a block that holds one number
  std::optional<Computation> computation = {};
  std::vector<Result> results = {};  // none without a computation
};

// Empty: it cannot be computed. `operand` has the elements' bytes; none for kFill.
std::optional<std::vector<std::byte>> compute(const Computation& computation,
                                              std::span<const std::byte> operand, std::uint32_t elements);

}  // namespace strata::dry_gpu
