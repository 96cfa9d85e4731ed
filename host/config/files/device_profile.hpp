// SPDX-License-Identifier: Apache-2.0
// Device profiles: the known data of a kind of GPU, each number with its source, from configs/devices/*.yaml.
// The dry GPU is created from one of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/config/problem.hpp"

namespace strata::config {

struct ByteRange {
  std::uint64_t low = 0, high = 0;
};

struct ComputeCapability {
  std::uint64_t major = 0, minor = 0;
};

struct DeviceProfile {
  std::string key;             // the file's name: h100-80gb
  std::filesystem::path file;  // where it came from

  std::string name;  // as reported by the driver
  // The day on which a real one was compared with this profile, such as 2026-11-28; empty: never.
  std::string compared;
  std::uint64_t memory_bytes = 0;
  ByteRange context_bytes;  // taken when a process creates its context; rarely known to the byte
  // Memory that a context takes later: for the first kernel, and for the first use of each library, of
  // PyTorch's flash attention and of NCCL. Optional in a file: 0.
  std::uint64_t context_kernels_bytes = 0;
  std::uint64_t context_cublas_bytes = 0;
  std::uint64_t context_cudnn_bytes = 0;
  std::uint64_t context_cusolver_bytes = 0;
  std::uint64_t context_cufft_bytes = 0;
  std::uint64_t context_attention_bytes = 0;
  std::uint64_t context_nccl_bytes = 0;
  std::uint64_t communicator_bytes = 0;  // of each NCCL communicator; optional as well
  ComputeCapability compute_capability;
  std::uint64_t multiprocessors = 0;
  std::uint64_t threads_per_multiprocessor = 0;
  std::uint64_t blocks_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_multiprocessor = 0;
  std::uint64_t shared_bytes_per_block_optin = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_bus_bits = 0;
  std::uint64_t memory_clock_khz = 0;
  std::uint64_t clock_khz = 0;

  // Peak rates, dense: 10^9 bytes and 10^12 operations per second. 0: the device has no such mode.
  double memory_gb_per_s = 0;
  double fp32_tflops = 0;
  double tf32_tflops = 0;
  double fp16_tflops = 0;
  double bf16_tflops = 0;
  double fp8_tflops = 0;

  // All of the above as written, in the order of the file's keys.
  struct Fact {
    std::string_view key;
    std::string value;
    std::string source;  // empty: not given in the file
  };
  std::vector<Fact> facts;
};

// The profiles shipped with Strata: share/strata/devices next to the program's folder. Sorted by key.
std::filesystem::path device_folder();
std::vector<std::string> device_keys();

// Whether the text is the path of the user's own file and not a key.
bool is_device_file(std::string_view key_or_path);

// An unknown device key; the message contains the nearest one.
class NoSuchDevice : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

// A key from `device_keys`, or the path of the user's own file (contains '/', or ends in .yaml or .yml).
// Throws NoSuchDevice, and ConfigError with all errors in the file.
DeviceProfile load_device_profile(const std::string& key_or_path);

}  // namespace strata::config
