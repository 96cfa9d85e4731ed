// SPDX-License-Identifier: Apache-2.0
#include "host/grid/processes/host_name.hpp"

#include <unistd.h>

#include <array>

namespace strata::grid {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

}  // namespace strata::grid
