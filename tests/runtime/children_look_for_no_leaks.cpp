// SPDX-License-Identifier: Apache-2.0
// For tests that fork: under AddressSanitizer a child must not check for leaks when it exits, because a
// thread that does not exist in the child may have held the allocator's lock.
#ifdef __SANITIZE_ADDRESS__
#include <unistd.h>

// LeakSanitizer calls this function by name.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  static const pid_t first = getpid();
  return getpid() != first;
}
// Called once here, so that the first process is the parent.
[[maybe_unused]] static const int kOffAtStart = __lsan_is_turned_off();
#endif
