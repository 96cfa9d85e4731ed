// SPDX-License-Identifier: Apache-2.0
// Eight small devices.
#pragma once

namespace strata::dry_gpu {

inline constexpr const char* kTestProfile =
    "key test\n"
    "name NVIDIA Test GPU\n"
    "memory_bytes 1073741824\n"
    "context_bytes 67108864\n"
    "compute_major 9\n"
    "compute_minor 0\n"
    "multiprocessors 10\n"
    "threads_per_multiprocessor 2048\n"
    "blocks_per_multiprocessor 32\n"
    "shared_bytes_per_multiprocessor 233472\n"
    "shared_bytes_per_block_optin 232448\n"
    "l2_bytes 1048576\n"
    "memory_bus_bits 256\n"
    "memory_clock_khz 1000000\n"
    "clock_khz 1000000\n"
    "devices 8\n"
    "span_bytes 68719476736\n";

}  // namespace strata::dry_gpu
