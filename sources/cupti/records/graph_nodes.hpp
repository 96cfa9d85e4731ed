// SPDX-License-Identifier: Apache-2.0
// The origins of graph nodes: under which op, phase and module each was created.
#pragma once

#include <cstdint>
#include <optional>

#include "sources/cupti/records/origins.hpp"

namespace strata::cupti {

class GraphNodes {
 public:
  // [any] Empty if the creation of the node was not observed.
  virtual std::optional<Origin> origin_of(std::uint64_t node) const = 0;

 protected:
  ~GraphNodes() = default;
};

}  // namespace strata::cupti
