// SPDX-License-Identifier: Apache-2.0
// The tensors of a launch of one of PyTorch's foreach kernels, as its first argument lists them
// (aten/src/ATen/native/cuda/MultiTensorApply.cuh).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dry_gpu/device/memory/address_space.hpp"

namespace strata::dry_gpu {

// How many tensors a launch lists, by how many addresses each has; the same in every PyTorch that is
// supported. Lists with a number for each tensor have fewer of depth one.
inline constexpr std::array<std::size_t, 5> kTensorsOfLaunch = {110, 64, 48, 36, 30};
inline constexpr std::array<std::size_t, 5> kTensorsWithNumberOfLaunch = {96, 64, 48, 36, 30};
inline constexpr std::size_t kBlocksOfLaunch = 320;

struct ForeachTensor {
  std::vector<Address> addresses;  // in each list
  std::int64_t elements;
};

struct ForeachList {
  std::vector<ForeachTensor> tensors;
};

// `kernel` is the mangled name from multi_tensor_apply_kernel on. Empty: another kind of list, or something
// else lies there.
std::optional<ForeachList> foreach_list(std::string_view kernel, const std::byte* list, std::size_t blocks);

}  // namespace strata::dry_gpu
