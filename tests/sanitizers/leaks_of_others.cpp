// SPDX-License-Identifier: Apache-2.0
// Preloaded, with AddressSanitizer's library, into the programs that tests start (./dev sanitize asan --all):
// a program that is none of ours, such as python3, is not asked at its exit what it leaks. What Strata leaks
// within such a program is not seen. And no library is unloaded: what CUDA's leave behind, which have a C++
// runtime of their own each with its 72,704 bytes for emergencies, would be a leak of nobody's that no
// suppression can name.
#include <unistd.h>

#include <climits>
#include <string_view>

// LeakSanitizer asks the program by this name.
extern "C" __attribute__((visibility("default"))) int __lsan_is_turned_off() {
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  return length < 0 ||
         !std::string_view(program, static_cast<std::size_t>(length)).starts_with(STRATA_BUILD_FOLDER "/");
}

extern "C" __attribute__((visibility("default"))) int dlclose(void*) noexcept {
  return 0;
}
