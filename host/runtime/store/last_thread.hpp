// SPDX-License-Identifier: Apache-2.0
// A program whose main() calls pthread_exit ends with its last thread. It must not wait for one of our
// threads.
#pragma once

namespace strata {

// Whether the process's first thread and all others except the caller have ended. False if that is unknown.
bool is_last_thread() noexcept;

}  // namespace strata
