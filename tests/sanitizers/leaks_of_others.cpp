// SPDX-License-Identifier: Apache-2.0
// Preloaded with AddressSanitizer's library into the programs that tests start (./dev sanitize asan --all): a
// program that is not ours, such as python3, is not checked for leaks at its exit. Leaks of Strata inside
// such a program stay undetected. Also, no library is unloaded: CUDA's libraries each have a C++ runtime with
// an emergency pool of 72,704 bytes, which would be reported as a leak without an owner that no suppression
// can name.
#include <unistd.h>

#include <climits>
#include <string_view>

// LeakSanitizer calls this function by name.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  return length < 0 ||
         !std::string_view(program, static_cast<std::size_t>(length)).starts_with(STRATA_BUILD_FOLDER "/");
}

extern "C" __attribute__((visibility("default"))) int dlclose(void*) noexcept {
  return 0;
}
