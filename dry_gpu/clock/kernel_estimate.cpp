// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/clock/kernel_estimate.hpp"

#include <algorithm>
#include <optional>

#include "dry_gpu/device/kernels/foreach_list.hpp"
#include "dry_gpu/device/memory/value_at.hpp"

namespace strata::dry_gpu {
namespace {

constexpr double kBytesOfThread = 16;  // one load or store of the widest kind
constexpr std::int64_t kChunk = 65536;

// The elements in a launch's chunks: addresses, lengths, (steps,) then each block's tensor and chunk.
// Nothing: that is not what lies there.
std::optional<std::int64_t> elements_of(const std::byte* list, const KernelShape& shape, std::size_t blocks) {
  const bool is_known = shape.list != KernelShape::List::kOther;
  if (!is_known || shape.tensors < 1 || shape.tensors > kTensorsOfLaunch.size() || blocks > kBlocksOfLaunch)
    return std::nullopt;
  const std::size_t tensors = kTensorsOfLaunch[shape.tensors - 1];
  const std::byte* const lengths = list + shape.tensors * tensors * sizeof(void*);
  const std::byte* const tensor_of_block =
      lengths + tensors * sizeof(std::int64_t) +
      (shape.list == KernelShape::List::kStepsThenBlocks ? tensors * sizeof(void*) : 0);
  const std::byte* const chunk_of_block = tensor_of_block + kBlocksOfLaunch;
  std::int64_t elements = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const auto tensor = value_at<std::uint8_t>(tensor_of_block, block);
    const auto chunk = value_at<std::int32_t>(chunk_of_block, block * sizeof(std::int32_t));
    if (tensor >= tensors || chunk < 0) return std::nullopt;
    const auto length = value_at<std::int64_t>(lengths, tensor * sizeof(std::int64_t));
    if (length <= chunk * kChunk || length >= std::int64_t{1} << 48) return std::nullopt;
    elements += std::min(kChunk, length - chunk * kChunk);
  }
  return elements;
}

double blocks_of(const dim3& grid) {
  return static_cast<double>(grid.x) * grid.y * grid.z;
}

}  // namespace

Estimate kernel_estimate(const Roofline& roofline, const KernelShape& shape, const dim3& grid,
                         const dim3& block, void** arguments) {
  const double of_element = static_cast<double>(shape.tensors) * shape.element_bytes;
  const auto* const first =
      arguments == nullptr ? nullptr : static_cast<const std::byte*>(static_cast<const void*>(arguments[0]));
  if (first != nullptr && shape.kind == KernelShape::Kind::kElementwise) {
    const std::int64_t count =
        shape.count_bytes == 8 ? value_at<std::int64_t>(first) : value_at<std::int32_t>(first);
    if (count >= 0) return roofline.traffic(Model::kElementwise, static_cast<double>(count) * of_element);
  }
  if (first != nullptr && shape.kind == KernelShape::Kind::kForeach) {
    const auto elements = elements_of(first, shape, grid.x);
    const double count = elements ? static_cast<double>(*elements) : blocks_of(grid) * kChunk;
    return roofline.traffic(Model::kForeach, count * of_element);
  }
  const double threads = blocks_of(grid) * block.x * block.y * block.z;
  return roofline.traffic(Model::kGrid, threads * kBytesOfThread);
}

}  // namespace strata::dry_gpu
