// SPDX-License-Identifier: Apache-2.0
// Detects when a program initialises CUDA: torch reports the first use of that part of its API, before its
// own caching allocator exists.
#pragma once

namespace strata::torch_source {

// [loop-thread] From now on, `begins` is called when the program initialises CUDA, on its thread, with the
// caching allocator initialised. Null: nothing is called any more. We never initialise CUDA ourselves; if it
// cannot be initialised, the program gets torch's exception as usual.
void when_cuda_starts(void (*begins)());

}  // namespace strata::torch_source
