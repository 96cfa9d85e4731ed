// SPDX-License-Identifier: Apache-2.0
// The layer of a block: the module running at its birth, or, in backward, the module of the forward op whose
// node is running.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

// Links a backward node to its forward op: both have the same key. If several ops have it, the last one that
// began before the node counts.
struct ForwardKey {
  std::int64_t autograd_sequence = -1;
  std::uint64_t thread = 0;
  bool operator==(const ForwardKey&) const = default;
};
ForwardKey forward_key(const OpRow& op);

class Layers {
 public:
  using KeyFunction = ForwardKey (*)(const OpRow&);

  Layers(const Recording& run, const OpTable& ops, KeyFunction key = forward_key);

  // The text of the module's path; 0 outside any module. `op` and `module` are the ordinals in an event.
  std::uint32_t at(std::uint64_t op, std::uint32_t module) const;
  std::uint32_t path_of(std::uint32_t module) const;

 private:
  const OpTable& ops_;
  std::unordered_map<std::uint32_t, std::uint32_t> paths_;  // module ordinal to text
  std::vector<std::uint32_t> layer_of_op_;
};

}  // namespace strata::analysis
