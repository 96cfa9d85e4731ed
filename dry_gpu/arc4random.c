// SPDX-License-Identifier: Apache-2.0
// libstdc++'s archive, as glibc 2.36 and later have it built, names arc4random for std::random_device, which
// comes along with every string. Defined here, nothing of ours asks for a glibc that has it.
#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) continue;
  return number;
}
