// SPDX-License-Identifier: Apache-2.0
// For tests that fork: under AddressSanitizer a child looks for no leaks when it exits, for a thread that it
// does not have may have held the allocator's lock.
#ifdef __SANITIZE_ADDRESS__
#include <unistd.h>

// LeakSanitizer asks the program by this name.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  static const pid_t first = getpid();
  return getpid() != first;
}
// Asked once here, so that the first process is the parent.
[[maybe_unused]] static const int kOffAtStart = __lsan_is_turned_off();
#endif
