// SPDX-License-Identifier: Apache-2.0
// The operators of a run, with the traits that each inherits from enclosing ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct Recording;

// Traits of an op derived from its name, for the rules. One bit each.
enum OpTrait : std::uint16_t {
  kOnesLike = 1,        // aten::ones_like: the initial gradient of a backward
  kAccumulateGrad = 2,  // torch::autograd::AccumulateGrad: adds a gradient to its parameter's
  kAdd = 4,             // aten::add, aten::add_
  kMatrixProduct = 8,   // a matrix product or convolution, for which libraries need a workspace
  kEvaluateNode = 16,   // autograd::engine::evaluate_function: the engine's frame around a node
  kFactory = 32,        // aten::empty and similar: they allocate for the enclosing op
  kZerosLike = 64,      // aten::zeros_like: used by optimizers to create a parameter's state
  kSharding = 128,      // any range of fully_shard, which does not compute the model
  kGathering = 256,     // FSDP::all_gather_copy_out: assembles sharded parameters
  kReducing = 512,      // FSDP::post_backward_reduce: this rank's part of the summed gradients
  kCopy = 1024,         // aten::_to_copy: of a batch to the device, or to another type
  kLayer = 2048,        // what only a layer computes: an embedding, a norm, an activation function, a pooling
  kBroadcast = 4096  // Broadcast: of parameters from one card to others, as for the replicas of DataParallel
};
std::uint16_t traits_of(std::string_view op_name);

class OpTable {
 public:
  using Index = std::uint32_t;

  // Ignores parents that do not exist or begin after their child.
  explicit OpTable(const Recording& run);

  std::size_t size() const { return ops_.size(); }
  const OpRow& operator[](Index op) const { return ops_[op]; }
  // By the ordinal in events.
  std::optional<Index> find(std::uint64_t ordinal) const;
  std::optional<Index> parent(Index op) const;
  // The text of the op that requested the memory: the innermost one that is not a factory, if there is one.
  std::uint32_t maker(Index op) const;

  bool has(Index op, OpTrait trait) const { return (own_[op] & trait) != 0; }
  // Whether the op or an enclosing one has the trait.
  bool within(Index op, OpTrait trait) const { return (inherited_[op] & trait) != 0; }
  // Whether autograd recorded the op, for a backward through it.
  bool is_recorded(Index op) const;
  // Whether the op runs inside an AccumulateGrad that adds to an existing gradient.
  bool in_gradient_addition(Index op) const;
  // The first node of the backward graph that begins in [begin, end); kNever if there is none.
  std::uint64_t first_backward_node(std::uint64_t begin_sequence, std::uint64_t end_sequence) const;

 private:
  static constexpr Index kNone = UINT32_MAX;

  const std::vector<OpRow>& ops_;
  std::unordered_map<std::uint64_t, Index> index_;
  std::vector<Index> parents_;
  std::vector<std::uint16_t> own_, inherited_;
  std::vector<Index> accumulation_;  // the outermost AccumulateGrad around an op
  std::vector<bool> adds_;           // for an outermost AccumulateGrad
  std::vector<std::uint64_t> backward_nodes_;
};

}  // namespace strata::analysis
