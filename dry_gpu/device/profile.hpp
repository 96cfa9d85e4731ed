// What is known of a device: the numbers that programs ask it for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata::dry_gpu {

// Read from configs/devices/*.yaml, where each number has its source.
struct DeviceProfile {
  std::string key;   // "h100-80gb"
  std::string name;  // as the driver tells it: "NVIDIA H100 80GB HBM3"

  std::uint64_t memory_bytes = 0;   // what cudaMemGetInfo calls the total
  std::uint64_t context_bytes = 0;  // of it taken by a process that uses the device

  std::uint32_t compute_major = 0, compute_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t threads_per_multiprocessor = 0;
  std::uint32_t blocks_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_block_optin = 0;
  std::uint64_t l2_bytes = 0;

  std::uint32_t memory_bus_bits = 0;
  std::uint32_t memory_clock_khz = 0;
  std::uint32_t clock_khz = 0;
};

// The devices of one process.
struct MachineProfile {
  DeviceProfile device;  // all are of one kind
  std::uint32_t devices = 1;
  // Addresses of each device, used or not; half of them are its memory pool's. More than `memory_bytes`,
  // because a block needs addresses in one piece where a device finds its pages anywhere.
  std::uint64_t span_bytes = std::uint64_t{1} << 41;
};

// One "key value" a line, '#' begins a comment: the form in which a launcher hands a profile to a process.
// Throws std::invalid_argument that names the line; a key that is missing, unknown or given twice is an
// error.
MachineProfile parse_profile(std::string_view text);
std::string profile_text(const MachineProfile& profile);

}  // namespace strata::dry_gpu
