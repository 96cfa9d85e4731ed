// SPDX-License-Identifier: Apache-2.0
// The options of the source, as it was given them.
#pragma once

#include <cstddef>
#include <string>

#include "sources/cupti/kinds.hpp"

namespace strata::cupti {

enum class OnBusy { kNvtx, kFail, kWait };

struct Settings {
  OnBusy on_busy = OnBusy::kNvtx;
  Kinds kinds;
  std::string library;  // a file, in place of the one that is loaded or found
  bool from_run_begin = false;
  bool correlate = true;
  bool may_share = true;
  bool wait_for_devices = true;
  bool finalize_on_stop = false;
  std::size_t buffer_bytes = 0;
  std::size_t most_buffers = 0;
};

}  // namespace strata::cupti
