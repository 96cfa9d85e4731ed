// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/ops.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "host/analysis/recording/recording.hpp"
#include "strata/ext/op.h"

namespace strata::analysis {
namespace {

constexpr std::array<std::string_view, 14> kMatrixProducts = {"aten::mm",
                                                              "aten::addmm",
                                                              "aten::bmm",
                                                              "aten::baddbmm",
                                                              "aten::addbmm",
                                                              "aten::mv",
                                                              "aten::addmv",
                                                              "aten::dot",
                                                              "aten::_convolution",
                                                              "aten::convolution",
                                                              "aten::mkldnn_convolution",
                                                              "aten::convolution_backward",
                                                              "aten::mkldnn_linear",
                                                              "aten::_slow_conv2d_forward"};

// aten::cudnn_convolution, also transposed and with fused operations.
constexpr std::string_view kCudnnConvolutions = "aten::cudnn_convolution";

// The operators of layers, under the names by which a program calls them. A batch is made by none of them.
constexpr std::array<std::string_view, 25> kLayerOps = {"aten::embedding",
                                                        "aten::embedding_bag",
                                                        "aten::layer_norm",
                                                        "aten::rms_norm",
                                                        "aten::group_norm",
                                                        "aten::batch_norm",
                                                        "aten::instance_norm",
                                                        "aten::relu",
                                                        "aten::relu_",
                                                        "aten::relu6",
                                                        "aten::gelu",
                                                        "aten::silu",
                                                        "aten::silu_",
                                                        "aten::elu",
                                                        "aten::leaky_relu",
                                                        "aten::softplus",
                                                        "aten::hardtanh",
                                                        "aten::dropout",
                                                        "aten::scaled_dot_product_attention",
                                                        "aten::max_pool2d",
                                                        "aten::avg_pool2d",
                                                        "aten::adaptive_avg_pool2d",
                                                        "aten::adaptive_max_pool2d",
                                                        "aten::lstm",
                                                        "aten::gru"};

constexpr std::array<std::string_view, 5> kFactories = {
    "aten::empty", "aten::empty_like", "aten::empty_strided", "aten::new_empty_strided", "aten::resize_"};

}  // namespace

std::uint16_t traits_of(std::string_view name) {
  unsigned traits = 0;
  if (name == "aten::ones_like") traits |= kOnesLike;
  if (name == "aten::zeros_like") traits |= kZerosLike;
  if (name == "aten::_to_copy") traits |= kCopy;
  if (name.find("AccumulateGrad") != std::string_view::npos) traits |= kAccumulateGrad;
  if (name == "aten::add_" || name == "aten::add") traits |= kAdd;
  if (std::find(kMatrixProducts.begin(), kMatrixProducts.end(), name) != kMatrixProducts.end() ||
      name.starts_with(kCudnnConvolutions)) {
    traits |= kMatrixProduct;
  }
  if (name.starts_with("autograd::engine::evaluate_function")) traits |= kEvaluateNode;
  if (std::find(kFactories.begin(), kFactories.end(), name) != kFactories.end()) traits |= kFactory;
  if (std::find(kLayerOps.begin(), kLayerOps.end(), name) != kLayerOps.end()) traits |= kLayer;
  if (name == "Broadcast") traits |= kBroadcast;
  if (name.starts_with("FSDP::")) traits |= kSharding;  // its number follows: "FSDP::all_gather (0)"
  if (name.starts_with("FSDP::all_gather_copy_out")) traits |= kGathering;
  if (name.starts_with("FSDP::post_backward_reduce")) traits |= kReducing;
  return static_cast<std::uint16_t>(traits);
}

OpTable::OpTable(const Recording& run)
    : ops_(run.ops),
      parents_(run.ops.size(), kNone),
      own_(run.ops.size()),
      inherited_(run.ops.size()),
      accumulation_(run.ops.size(), kNone),
      adds_(run.ops.size()) {
  std::vector<std::uint16_t> traits_of_text;
  traits_of_text.reserve(run.texts.all().size());
  for (const std::string& text : run.texts.all()) traits_of_text.push_back(traits_of(text));

  index_.reserve(ops_.size());
  for (Index op = 0; op < ops_.size(); ++op) {
    // An op begins after enclosing ones, so these are already in the index.
    if (const auto around = index_.find(ops_[op].parent); around != index_.end())
      parents_[op] = around->second;
    index_.emplace(ops_[op].ordinal, op);
    own_[op] = inherited_[op] = traits_of_text[ops_[op].name];
    if (parents_[op] != kNone) {
      inherited_[op] = static_cast<std::uint16_t>(inherited_[op] | inherited_[parents_[op]]);
      accumulation_[op] = accumulation_[parents_[op]];
    }
    if (accumulation_[op] == kNone && has(op, kAccumulateGrad)) accumulation_[op] = op;
    if (accumulation_[op] != kNone && has(op, kAdd)) adds_[accumulation_[op]] = true;
    if (ops_[op].kind == STRATA_OP_BACKWARD) backward_nodes_.push_back(ops_[op].sequence);
  }
}

std::optional<OpTable::Index> OpTable::find(std::uint64_t ordinal) const {
  const auto found = index_.find(ordinal);
  return found == index_.end() ? std::nullopt : std::optional<Index>(found->second);
}

std::optional<OpTable::Index> OpTable::parent(Index op) const {
  return parents_[op] == kNone ? std::nullopt : std::optional<Index>(parents_[op]);
}

std::uint32_t OpTable::maker(Index op) const {
  Index maker = op;
  while (has(maker, kFactory) && parents_[maker] != kNone && !has(parents_[maker], kEvaluateNode)) {
    maker = parents_[maker];
  }
  return ops_[maker].name;
}

// A node's number is that of its operator in forward. Factories that allocate for an operator have none.
bool OpTable::is_recorded(Index op) const {
  for (Index around = op; around != kNone && ops_[around].kind == STRATA_OP_FORWARD;
       around = parents_[around]) {
    if (ops_[around].autograd_sequence >= 0) return true;
  }
  return false;
}

bool OpTable::in_gradient_addition(Index op) const {
  return accumulation_[op] != kNone && adds_[accumulation_[op]];
}

std::uint64_t OpTable::first_backward_node(std::uint64_t begin_sequence, std::uint64_t end_sequence) const {
  const auto first = std::lower_bound(backward_nodes_.begin(), backward_nodes_.end(), begin_sequence);
  return first != backward_nodes_.end() && *first < end_sequence ? *first : kNever;
}

}  // namespace strata::analysis
