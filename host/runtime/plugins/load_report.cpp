// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/load_report.hpp"

#include "strata/ext/log.h"

namespace strata {

LoadReport::~LoadReport() {
  if (wanted_) write_log(STRATA_LOG_INFO, "", "loading sources and plugins" + block_);
}

}  // namespace strata
