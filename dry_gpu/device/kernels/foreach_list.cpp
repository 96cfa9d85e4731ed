// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/foreach_list.hpp"

#include <bitset>

#include "dry_gpu/device/kernels/builtin_types.hpp"
#include "dry_gpu/device/memory/value_at.hpp"

namespace strata::dry_gpu {
namespace {

struct Layout {
  std::size_t depth, tensors;
  std::size_t bytes_of_tensor;  // between the lengths and the blocks
};

std::size_t digit(char letter) {
  return letter >= '1' && letter <= '5' ? static_cast<std::size_t>(letter - '0') : 0;
}

std::optional<Layout> layout_of(std::string_view kernel) {
  const auto behind = [&](std::string_view name) {
    const std::size_t place = kernel.find(name);
    return place == std::string_view::npos ? std::string_view() : kernel.substr(place + name.size());
  };
  if (const auto rest = behind("18TensorListMetadataILi"); !rest.empty()) {
    const std::size_t depth = digit(rest.front());
    return depth == 0 ? std::nullopt : std::optional(Layout{depth, kTensorsOfLaunch[depth - 1], 0});
  }
  if (const auto rest = behind("28TensorListScalarListMetadataI"); rest.size() > 3) {
    const std::size_t depth = rest.substr(1).starts_with("Li") ? digit(rest[3]) : 0;
    const std::size_t bytes = number_bytes(rest[0]);
    if (depth == 0 || bytes == 0) return std::nullopt;
    return Layout{depth, kTensorsWithNumberOfLaunch[depth - 1], bytes};
  }
  return std::nullopt;
}

}  // namespace

std::optional<ForeachList> foreach_list(std::string_view kernel, const std::byte* list, std::size_t blocks) {
  const auto layout = layout_of(kernel);
  if (!layout || blocks > kBlocksOfLaunch) return std::nullopt;
  const auto [depth, tensors, bytes_of_tensor] = *layout;
  const std::byte* const lengths = list + depth * tensors * sizeof(Address);
  const std::byte* const tensor_of_block = lengths + tensors * (sizeof(std::int64_t) + bytes_of_tensor);
  std::bitset<kTensorsOfLaunch[0]> seen;
  ForeachList found;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto tensor = value_at<std::uint8_t>(tensor_of_block, block);
    if (tensor >= tensors) return std::nullopt;
    if (seen.test(tensor)) continue;
    seen.set(tensor);
    ForeachTensor each{.addresses = {},
                       .elements = value_at<std::int64_t>(lengths, tensor * sizeof(std::int64_t))};
    for (std::size_t index = 0; index < depth; ++index)
      each.addresses.push_back(value_at<Address>(list, (index * tensors + tensor) * sizeof(Address)));
    found.tensors.push_back(std::move(each));
  }
  return found;
}

}  // namespace strata::dry_gpu
