// SPDX-License-Identifier: Apache-2.0
// The functions that the preload library opens once torch is loaded, and that a self-marking program binds
// to.
#include <cstdint>
#include <cstdio>

#include "host/drop_in/process_session.hpp"
#include "host/drop_in/trainer_table.hpp"

#define STRATA_ATTACH_EXPORT extern "C" __attribute__((visibility("default")))

// On any thread. Errors are reported on standard error, and the program continues.
STRATA_ATTACH_EXPORT void strata_attach() noexcept {
  static_cast<void>(strata::drop_in::process_session());
}

STRATA_ATTACH_EXPORT void strata_leave(int status) noexcept {
  strata::drop_in::leave_process(status);
}

// In main's thread, before it.
STRATA_ATTACH_EXPORT void strata_begin_main() noexcept {
  strata::drop_in::watch_exit();
}

// strata/trainer_calls.h
STRATA_ATTACH_EXPORT const strata_trainer_calls* strata_trainer_bind(std::uint32_t abi_major) noexcept {
  if (abi_major != STRATA_ABI_MAJOR) {
    std::fprintf(
        stderr,
        "strata: this program's marks are not recorded: it was compiled with version %u of strata/trainer.h, "
        "but this Strata has version %d; compile it with the headers of this Strata\n",
        abi_major, STRATA_ABI_MAJOR);
    return nullptr;
  }
  return strata::drop_in::process_session() == nullptr ? nullptr : strata::drop_in::trainer_table();
}
