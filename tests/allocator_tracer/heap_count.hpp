// SPDX-License-Identifier: Apache-2.0
// Counts a thread's heap allocations, in a test program that links heap_count.cpp.
#pragma once

#include <cstdint>

namespace strata::test {

// The calling thread's allocations so far, by malloc and related functions and so by operator new, in this
// program and its loaded libraries; with a sanitizer, by operator new only.
std::uint64_t heap_allocations();

}  // namespace strata::test
