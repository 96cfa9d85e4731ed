// SPDX-License-Identifier: Apache-2.0
// The source's options as configured.
#pragma once

#include <cstddef>
#include <string>

#include "sources/cupti/recording/kinds.hpp"

namespace strata::cupti {

enum class OnBusy { kNvtx, kFail, kWait };

struct Settings {
  OnBusy on_busy = OnBusy::kNvtx;
  Kinds kinds;
  std::string library;  // a file to use instead of the loaded or found one
  bool from_run_begin = false;
  bool correlate = true;
  bool may_share = true;
  bool wait_for_devices = true;
  bool finalize_on_stop = false;
  std::size_t buffer_bytes = 0;
  std::size_t most_buffers = 0;
};

}  // namespace strata::cupti
