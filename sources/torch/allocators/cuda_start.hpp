// SPDX-License-Identifier: Apache-2.0
// The moment at which a program initialises CUDA: torch reports it as the first use of that part of its API,
// before its own caching allocator is there.
#pragma once

namespace strata::torch_source {

// [loop-thread] From here on, `begins` is called when the program initialises CUDA, on its thread, with the
// caching allocator initialised. Null: nothing is called any more. CUDA is never initialised for our sake,
// and where it cannot be, the program gets torch's exception as it would without us.
void when_cuda_starts(void (*begins)());

}  // namespace strata::torch_source
