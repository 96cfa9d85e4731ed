// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/device_text.hpp"

#include <array>
#include <cstdio>
#include <initializer_list>

#include "dry_gpu/device/profile/attributes.hpp"

namespace strata::dry_gpu::real_cudnn {
namespace {

std::string quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char character : text) {
    const auto value = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      quoted += std::string("\\") + character;
    } else if (value < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", value);
      quoted += code.data();
    } else {
      quoted += character;
    }
  }
  return quoted + '"';
}

}  // namespace

std::string device_text(const DeviceProfile& profile) {
  const auto number = [&](CUdevice_attribute which) {
    return std::to_string(attribute(profile, 0, which).value_or(0));
  };
  const auto three = [&](CUdevice_attribute x, CUdevice_attribute y, CUdevice_attribute z) {
    return '[' + number(x) + ", " + number(y) + ", " + number(z) + ']';
  };
  struct Entry {
    const char* key;
    std::string value;
  };
  const std::initializer_list<Entry> entries = {
      {"maxGridSize", three(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y,
                            CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
      {"maxBlockSize", three(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
                             CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
      {"regsPerBlock", number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)},
      {"multiProcessorCount", number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)},
      {"warpSize", number(CU_DEVICE_ATTRIBUTE_WARP_SIZE)},
      {"maxSharedMemoryPerBlock", number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)},
      {"maxSharedMemoryPerBlockOptin", number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)},
      {"reservedSharedMemoryPerBlock", number(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)},
      {"maxRegistersPerSM", number(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)},
      {"maxCtasPerSM", number(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)},
      {"maxThreadsPerBlock", number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)},
      {"maxThreadsPerSM", number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)},
      {"pciDeviceId", "0"},
      {"isTccDriver", number(CU_DEVICE_ATTRIBUTE_TCC_DRIVER)},
      {"supportCoopLaunch", number(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)},
      {"totalGlobalMem", std::to_string(profile.memory_bytes)},
      {"smClockRateKHz", number(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)},
      {"memClockRateKHz", number(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)},
      {"l2CacheSize", number(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)},
      {"cudaDeviceId", "0"},
      {"deviceVer", std::to_string(100 * profile.compute_major + 10 * profile.compute_minor)},
      {"driverVer", std::to_string(CUDART_VERSION)},
      {"deviceName", quoted(profile.name)},
  };
  std::string text;
  for (const Entry& entry : entries)
    text += (text.empty() ? "{\"" : ", \"") + std::string(entry.key) + "\": " + entry.value;
  return text + '}';
}

}  // namespace strata::dry_gpu::real_cudnn
