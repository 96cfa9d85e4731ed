// SPDX-License-Identifier: Apache-2.0
// The functions behind a program's own marks (strata/trainer_calls.h).
#pragma once

#include <string_view>

#include "strata/runtime/session.hpp"
#include "strata/trainer_calls.h"

namespace strata::drop_in {

// [any] Valid for the rest of the process. Each call goes to the session open at that time, and has no effect
// without one.
const strata_trainer_calls* trainer_table() noexcept;

// The kind of a phase by name: kOther unless it is listed in strata/trainer_calls.h.
PhaseKind phase_kind(std::string_view name) noexcept;

}  // namespace strata::drop_in
