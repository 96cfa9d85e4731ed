// SPDX-License-Identifier: Apache-2.0
// What the operating system says of this process's memory.
#pragma once

#include <cstdint>
#include <optional>

namespace strata::torch_source {

// [any] not [alloc-lock]. The bytes of this process that are in the machine's memory now. Nothing where the
// file cannot be read or says something else. Another file is for tests alone.
std::optional<std::uint64_t> resident_bytes(const char* statm = "/proc/self/statm");

// [any] not [alloc-lock]. The most that ever was, of this program: VmHWM. Several times as dear. Nothing
// where the kernel does not say.
std::optional<std::uint64_t> peak_resident_bytes(const char* status = "/proc/self/status");

}  // namespace strata::torch_source
