// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/launch.hpp"

#include <algorithm>
#include <memory>
#include <string_view>

#include "dry_gpu/device/kernels/kernel_effect.hpp"
#include "dry_gpu/device/kernels/kernels.hpp"
#include "dry_gpu/device/profile/launch_limits.hpp"
#include "dry_gpu/device/thread_state.hpp"

namespace strata::dry_gpu {
namespace {

bool is_possible(const DeviceProfile& profile, const Launch& launch) {
  const dim3& grid = launch.grid;
  const dim3& block = launch.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) return false;
  if (grid.x > kMostGridX || grid.y > kMostGridYZ || grid.z > kMostGridYZ) return false;
  if (block.x > kMostThreadsOfBlock || block.y > kMostThreadsOfBlock || block.z > kMostBlockZ) return false;
  if (block.x * block.y * block.z > kMostThreadsOfBlock) return false;
  return launch.shared_bytes <= profile.shared_bytes_per_block_optin;
}

// PyTorch's flash attention is compiled from a separate library, in this namespace. Each of its kernels needs
// more shared memory than the default limit, so few other names are looked up, and none once the part was
// taken.
bool is_flash_attention(const Launch& launch) {
  constexpr std::size_t kUsualSharedBytes = std::size_t{48} << 10;
  if (launch.shared_bytes < kUsualSharedBytes) return false;
  const auto known = kernels().kernel(launch.kernel);
  return known && std::string_view(known->name).starts_with("_ZN13pytorch_flash");
}

// Whether there is space for the memory that a context takes when this kernel is launched.
bool has_code(Machine& machine, int device, const Launch& launch) {
  return machine.take_part(device, ContextPart::kKernels) &&
         (machine.has_part(device, ContextPart::kAttention) || !is_flash_attention(launch) ||
          machine.take_part(device, ContextPart::kAttention));
}

// Null: it may write anywhere, or no value would last through it or come of it.
std::shared_ptr<const KernelEffect> effect_of(Machine& machine, const Launch& launch) {
  if (!machine.contents().has_lasting() && !this_thread().conditions.is_fill()) return nullptr;
  const auto known = kernels().kernel(launch.kernel);
  return kernel_effect(known ? known->name : "", launch.grid.x, launch.arguments, machine.addresses());
}

}  // namespace

cudaError_t launch(Machine& machine, CUstream_st& stream, const Launch& launch) {
  if (launch.kernel == nullptr) return cudaErrorInvalidDeviceFunction;
  if (!is_possible(machine.profile(), launch)) return cudaErrorInvalidConfiguration;
  if (!has_code(machine, stream.device, launch)) return cudaErrorMemoryAllocation;
  this_thread().conditions.launched(launch.kernel, launch.arguments);
  Clock* const clock = machine.clock();
  const auto run = [&machine, effect = effect_of(machine, launch)] {
    if (effect) machine.contents().follow(*effect);
    machine.counts().launches.add();
  };
  if (clock == nullptr) return machine.streams().submit(&stream, cudaGraphNodeTypeKernel, run);
  const char* name = launch.name;
  if (name == nullptr)
    if (const auto kernel = kernels().kernel(launch.kernel)) name = kernel->name;
  const Work work = clock->kernel(name, launch.grid, launch.block, launch.shared_bytes, launch.arguments);
  return machine.streams().submit(&stream, cudaGraphNodeTypeKernel, [run, clock, work](CUstream_st& on) {
    run();
    clock->run(on, work);
  });
}

int resident_blocks(const DeviceProfile& profile, int threads_per_block, std::size_t shared_bytes) {
  const int threads = std::max((threads_per_block + kWarp - 1) / kWarp * kWarp, kWarp);
  int blocks = std::min(static_cast<int>(profile.threads_per_multiprocessor) / threads,
                        static_cast<int>(profile.blocks_per_multiprocessor));
  if (shared_bytes > 0) {
    const std::size_t reserved = reserved_shared_bytes(profile);
    blocks = std::min(blocks,
                      static_cast<int>(profile.shared_bytes_per_multiprocessor / (shared_bytes + reserved)));
  }
  return std::max(blocks, 0);
}

}  // namespace strata::dry_gpu
