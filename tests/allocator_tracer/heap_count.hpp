// SPDX-License-Identifier: Apache-2.0
// Counts what a thread takes from the heap, in a test program that links heap_count.cpp.
#pragma once

#include <cstdint>

namespace strata::test {

// Allocations of the calling thread so far, by malloc and its kin and so by operator new, in this program and
// in what it has loaded; with a sanitizer by operator new alone.
std::uint64_t heap_allocations();

}  // namespace strata::test
