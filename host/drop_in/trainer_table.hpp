// SPDX-License-Identifier: Apache-2.0
// The functions behind a program's own marks (strata/trainer_calls.h).
#pragma once

#include <string_view>

#include "strata/runtime/session.hpp"
#include "strata/trainer_calls.h"

namespace strata::drop_in {

// [any] For the rest of the process. Each call is of the session that is open then, and does nothing where
// none is.
const strata_trainer_calls* trainer_table() noexcept;

// What a phase of that name is: kOther unless it is one of those that strata/trainer_calls.h lists.
PhaseKind phase_kind(std::string_view name) noexcept;

}  // namespace strata::drop_in
