// SPDX-License-Identifier: Apache-2.0
// An operation graph of cuDNN's graph interface as text: the contents of its descriptors. A process uses it
// to build the same graph with the real cuDNN; it is also the key of stored answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::dry_gpu::real_cudnn {

// cuDNN's own numbers: its attribute names, types and descriptor types.
struct DescribedAttribute {
  std::int32_t name = 0;
  std::int32_t type = 0;
  std::vector<std::size_t> descriptors;  // indices in the list, if the elements are descriptors
  std::string bytes;                     // the elements, if not
  std::int64_t count = 0;

  bool operator==(const DescribedAttribute&) const = default;
};

struct DescribedDescriptor {
  std::int32_t type = 0;
  std::vector<DescribedAttribute> attributes;

  bool operator==(const DescribedDescriptor&) const = default;
};

// Each descriptor follows those that it refers to; the last one is the graph.
using Description = std::vector<DescribedDescriptor>;

// One line per descriptor: "17 901:1:1=00000000", with the bytes of the elements, and "15 801:15:1>4" with
// indices of descriptors.
std::string text_of(const Description& description);

// Empty if the text has another form, or is larger than any program's graph. An element has a fixed size, and
// a descriptor only refers to earlier ones. Throws only std::bad_alloc.
std::optional<Description> parse_description(std::string_view text);

inline constexpr std::size_t kMostDescriptors = 4096;
inline constexpr std::size_t kMostDescriptionBytes = std::size_t{1} << 20;

}  // namespace strata::dry_gpu::real_cudnn
