// SPDX-License-Identifier: Apache-2.0
// Through which the benchmark emits as a source does: the source `emitter` fills one in, whose address is its
// option.
#pragma once

#include "strata/ext/emit.h"

namespace strata {

struct Emitter {
  const strata_host* host = nullptr;
  const strata_emit_service* emit = nullptr;
};

}  // namespace strata
