// SPDX-License-Identifier: Apache-2.0
// A library whose functions the test knows: each place is a return address inside one of them.
#include <cstdint>

#if defined(KNOWN_OTHER)
[[gnu::used]] static int another_build = 1;
#endif

namespace known {
namespace {

[[gnu::noinline]] std::uintptr_t return_address() {
  return reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
}

[[gnu::noinline]] std::uintptr_t hidden() {
  const std::uintptr_t place = return_address();
  asm volatile("");
  return place;
}

}  // namespace

struct Inner {
  [[gnu::always_inline]] static inline std::uintptr_t inlined() {
    const std::uintptr_t place = return_address();  // line 25
    asm volatile("");
    return place;
  }
};

template <typename Number>
[[gnu::noinline]] std::uintptr_t around(Number number) {
  const std::uintptr_t place = Inner::inlined();  // line 33
  asm volatile("" ::"r"(number));
  return place;
}

}  // namespace known

#define KNOWN_EXPORT extern "C" [[gnu::visibility("default")]]

KNOWN_EXPORT std::uintptr_t known_exported() {
  const std::uintptr_t place = known::return_address();
  asm volatile("");
  return place;
}
KNOWN_EXPORT std::uintptr_t known_hidden() {
  return known::hidden();
}
KNOWN_EXPORT std::uintptr_t known_inlined() {
  return known::around(1);
}
