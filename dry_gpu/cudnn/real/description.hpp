// SPDX-License-Identifier: Apache-2.0
// An operation graph of cuDNN's graph interface as text: what its descriptors hold, for a process that makes
// the same graph with the real cuDNN, and as a name by which its answers are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::dry_gpu::real_cudnn {

// The numbers are cuDNN's own: of its attribute names, types and descriptor types.
struct DescribedAttribute {
  std::int32_t name = 0;
  std::int32_t type = 0;
  std::vector<std::size_t> descriptors;  // places in the list, where the elements are descriptors
  std::string bytes;                     // the elements, where they are not
  std::int64_t count = 0;

  bool operator==(const DescribedAttribute&) const = default;
};

struct DescribedDescriptor {
  std::int32_t type = 0;
  std::vector<DescribedAttribute> attributes;

  bool operator==(const DescribedDescriptor&) const = default;
};

// Each descriptor comes after those that it refers to; the last is the graph.
using Description = std::vector<DescribedDescriptor>;

// A line for each descriptor: "17 901:1:1=00000000", with the bytes of the elements, and "15 801:15:1>4" with
// places of descriptors.
std::string text_of(const Description& description);

// Nothing: it is no such text, or one that no program's graph is as large as. An element has one size, and a
// descriptor refers to earlier ones alone. Throws nothing but std::bad_alloc.
std::optional<Description> parse_description(std::string_view text);

inline constexpr std::size_t kMostDescriptors = 4096;
inline constexpr std::size_t kMostDescriptionBytes = std::size_t{1} << 20;

}  // namespace strata::dry_gpu::real_cudnn
