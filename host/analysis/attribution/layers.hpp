// SPDX-License-Identifier: Apache-2.0
// Which layer a block belongs to: the module at work where it was born, or, in backward, the module of the
// forward op whose node is being run.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

// How a backward node finds its forward op: both have the same key, and of several the last that began before
// the node is meant.
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

  // The text of the module's path; 0 outside any module. `op` and `module` are the ordinals of an event.
  std::uint32_t at(std::uint64_t op, std::uint32_t module) const;
  std::uint32_t path_of(std::uint32_t module) const;

 private:
  const OpTable& ops_;
  std::unordered_map<std::uint32_t, std::uint32_t> paths_;  // module ordinal to text
  std::vector<std::uint32_t> layer_of_op_;
};

}  // namespace strata::analysis
