// SPDX-License-Identifier: Apache-2.0
// This process's memory as reported by the operating system.
#pragma once

#include <cstdint>
#include <optional>

namespace strata::torch_source {

// [any] not [alloc-lock]. Bytes of this process that are resident now. Empty if the file cannot be read or
// parsed. Only tests pass another file.
std::optional<std::uint64_t> resident_bytes(const char* statm = "/proc/self/statm");

// [any] not [alloc-lock]. This program's peak so far: VmHWM. Several times as expensive. Empty if the kernel
// does not report it.
std::optional<std::uint64_t> peak_resident_bytes(const char* status = "/proc/self/status");

}  // namespace strata::torch_source
