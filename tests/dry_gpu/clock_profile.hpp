// SPDX-License-Identifier: Apache-2.0
// The devices of test_profile.hpp with a modelled clock, in round numbers.
#pragma once

#include <string>

#include "tests/dry_gpu/test_profile.hpp"

namespace strata::dry_gpu {

// At half of each peak rate: 500 bytes a nanosecond; 5,000, 50,000 and 100,000 operations in FP32, TF32,
// BF16.
inline const std::string kClockProfile = std::string(kTestProfile) +
                                         "clock modelled\n"
                                         "clock_compute_percent 50\n"
                                         "clock_memory_percent 50\n"
                                         "clock_launch_ns 1000\n"
                                         "clock_host_call_ns 100\n"
                                         "clock_host_gb_per_s 10\n"
                                         "clock_peer_gb_per_s 100\n"
                                         "memory_gb_per_s 1000\n"
                                         "fp32_tflops 10\n"
                                         "tf32_tflops 100\n"
                                         "bf16_tflops 200\n";

}  // namespace strata::dry_gpu
