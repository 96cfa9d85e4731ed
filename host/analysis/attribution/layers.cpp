// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/layers.hpp"

#include <functional>

#include "host/analysis/recording/recording.hpp"
#include "strata/ext/op.h"

namespace strata::analysis {
namespace {

struct HashForwardKey {
  std::size_t operator()(const ForwardKey& key) const {
    return std::hash<std::int64_t>()(key.autograd_sequence) ^ (std::hash<std::uint64_t>()(key.thread) << 40);
  }
};

}  // namespace

ForwardKey forward_key(const OpRow& op) {
  return {op.autograd_sequence, op.forward_thread};
}

Layers::Layers(const Recording& run, const OpTable& ops, KeyFunction key)
    : ops_(ops), layer_of_op_(ops.size(), 0) {
  for (const ModuleRow& module : run.modules) paths_.emplace(module.ordinal, module.path);

  std::unordered_map<ForwardKey, std::uint32_t, HashForwardKey> forward;  // to the layer
  for (OpTable::Index op = 0; op < ops.size(); ++op) {
    const OpRow& row = ops[op];
    const auto parent = ops.parent(op);
    std::uint32_t& layer = layer_of_op_[op];
    layer = path_of(row.module);
    if (row.kind != STRATA_OP_BACKWARD) {
      if (layer == 0 && parent) layer = layer_of_op_[*parent];
      if (row.autograd_sequence >= 0) forward[key(row)] = layer;
      continue;
    }
    // This precedes the module: a node begins within the range of the previous node, unless its own range has
    // begun.
    if (const auto made_by = forward.find(key(row)); made_by != forward.end()) layer = made_by->second;
    // The engine's work around a node, such as releasing its saved tensors, also belongs to the node.
    if (parent && ops.has(*parent, kEvaluateNode)) layer_of_op_[*parent] = layer;
  }
}

std::uint32_t Layers::path_of(std::uint32_t module) const {
  const auto found = paths_.find(module);
  return found == paths_.end() ? 0 : found->second;
}

std::uint32_t Layers::at(std::uint64_t op, std::uint32_t module) const {
  if (const std::uint32_t path = path_of(module); path != 0) return path;
  const auto found = ops_.find(op);
  return found ? layer_of_op_[*found] : 0;
}

}  // namespace strata::analysis
