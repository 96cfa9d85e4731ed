// SPDX-License-Identifier: Apache-2.0
// Under what the nodes of graphs were made.
#pragma once

#include <cstdint>
#include <optional>

#include "sources/cupti/records/origins.hpp"

namespace strata::cupti {

class GraphNodes {
 public:
  // [any] Nothing: nobody was there when the node was made.
  virtual std::optional<Origin> origin_of(std::uint64_t node) const = 0;

 protected:
  ~GraphNodes() = default;
};

}  // namespace strata::cupti
