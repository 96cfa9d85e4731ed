// SPDX-License-Identifier: Apache-2.0
// A program whose main() calls pthread_exit ends with the last of its threads. One of ours must not be that
// which it waits for.
#pragma once

namespace strata {

// Whether the process's first thread has ended, and every other one but the caller's. False where that cannot
// be told.
bool is_last_thread() noexcept;

}  // namespace strata
