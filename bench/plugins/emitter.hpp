// SPDX-License-Identifier: Apache-2.0
// The benchmark emits through this structure as a source does: the source `emitter` fills it in, and its
// option is the structure's address.
#pragma once

#include "strata/ext/emit.h"

namespace strata {

struct Emitter {
  const strata_host* host = nullptr;
  const strata_emit_service* emit = nullptr;
};

}  // namespace strata
