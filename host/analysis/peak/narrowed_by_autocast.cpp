// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/narrowed_by_autocast.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/taken_across.hpp"

namespace strata::analysis {
namespace {

// What torch's autocast computes in 32 bits whatever it is given, of what backward reads.
constexpr std::array<std::string_view, 6> kKeptWide{"aten::_log_softmax", "aten::exp", "aten::pow",
                                                    "aten::rsqrt",        "aten::log", "aten::softplus"};

// Element by element: wide with something wide, as a tanh of a power is.
constexpr std::array<std::string_view, 3> kWideWithWide{"aten::mul", "aten::add", "aten::tanh"};

// Autocast widens what a group normalization takes, and what it gives stays wide: of a net of convolutions
// only what goes into the next of them is in 16 bits.
constexpr std::array<std::string_view, 4> kTakenByGroupNorm{"aten::native_group_norm", "aten::add",
                                                            "aten::add_", "aten::mul"};

constexpr std::array<std::string_view, 3> kProducts{"aten::mm", "aten::addmm", "aten::bmm"};

// Behind the products that take what was normalized: a gate has one more behind its function.
constexpr std::array<std::string_view, 4> kFunctions{"aten::gelu", "aten::silu", "aten::relu", "aten::tanh"};
constexpr std::array<std::string_view, 3> kEnds{"aten::_softmax", "aten::rsqrt", "aten::native_layer_norm"};

// They save what they give, which is wide as what they take: the next convolution's copy comes beside it.
// What a U-Net concatenates is widened for the norm, and for the convolution around that stays in 16 bits.
constexpr std::array<std::string_view, 4> kBehindGroupNorm{"aten::clamp_min", "aten::relu",
                                                           "aten::max_pool2d_with_indices", "aten::cat"};

// In backward what is the gradient of something in 16 bits is so, too.
constexpr std::array<std::string_view, 8> kNarrowInBackward{"aten::mm",
                                                            "aten::bmm",
                                                            "aten::convolution_backward",
                                                            "aten::gelu_backward",
                                                            "aten::silu_backward",
                                                            "aten::threshold_backward",
                                                            "aten::native_dropout_backward",
                                                            "aten::clone"};

using SizesByLayer = std::unordered_map<std::uint32_t, std::unordered_set<std::uint64_t>>;

bool holds_size(const SizesByLayer& sizes, const Block& block) {
  const auto of_layer = sizes.find(block.layer);
  return of_layer != sizes.end() && of_layer->second.contains(block.bytes);
}

class Narrowing {
 public:
  explicit Narrowing(const Facts& facts)
      : facts_(facts),
        takers_across_(takers_across(facts)),
        has_residuals_(has_op(facts, "aten::embedding") || has_op(facts, "aten::native_layer_norm")),
        has_group_norm_(has_op(facts, "aten::native_group_norm")),
        has_fallen_back_(has_op(facts, kAttentionByItself)) {
    SizesByLayer powers;
    for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
      const Block& block = facts.blocks[index];
      if (op_of(index) == "aten::pow") powers[block.layer].insert(block.bytes);
      if (op_of(index) == "aten::tanh" && holds_size(powers, block)) gelus_[block.layer].insert(block.bytes);
    }
  }

  std::vector<std::int64_t> of_all() {
    std::vector<std::int64_t> narrowed(facts_.blocks.size());
    for (std::size_t index = 0; index < facts_.blocks.size(); ++index) narrowed[index] = of(index);
    return narrowed;
  }

 private:
  std::string_view op_of(std::size_t index) const { return facts_.texts[facts_.blocks[index].op]; }

  std::int64_t of(std::size_t index) {
    const Block& block = facts_.blocks[index];
    const std::string_view op = op_of(index);
    const auto half = static_cast<std::int64_t>(block.bytes / 2);
    if (block.category == Category::kAutogradDetail)
      return block.kind == "flowing" && is_one_of(op, kNarrowInBackward) ? half : 0;
    const bool is_forwards = block.category == Category::kActivation || block.kind == "op_temp";
    // What a forward in 32 bits converts, the program asked for.
    if (!is_forwards || op == "aten::_to_copy" || op.starts_with("aten::_foreach")) return 0;
    if (op == "aten::rsqrt") norms_[block.layer] = {};
    // Without a graph it is made of what is in 16 bits, and nll_loss widens it.
    if (op == "aten::_log_softmax" && block.kind == "op_temp") return -half;
    if (is_wide(index)) return is_of_gelu_by_hand(index) ? half : 0;
    // Computed in 32 bits, and its copy in 16 comes beside it; within the attention that fell back neither
    // is.
    // Where a dropout takes it, that one's result is copied, and let go of.
    if (op == "aten::_softmax") return has_fallen_back_ ? half : is_dropped_out(index) ? 0 : -half;
    if (has_group_norm_ && is_one_of(op, kBehindGroupNorm)) return -half;
    if (takers_across_[index] > 0 || op == "aten::native_layer_norm" || is_normalized_and_cut(index))
      return of_copies(index);
    if (op == "aten::mul" && is_for_backward(block)) return of_product(index);
    return half;
  }

  bool is_wide(std::size_t index) {
    const Block& block = facts_.blocks[index];
    const std::string_view op = op_of(index);
    if (is_one_of(op, kKeptWide)) {
      wide_[block.layer].insert(block.bytes);
      return true;
    }
    if (is_raised(index)) return true;
    return (is_one_of(op, kWideWithWide) && holds_size(wide_, block)) || is_mask(index) ||
           // What adds up from an embedding, of tokens or of positions, or from what was normalized, is in 32
           // bits as those are, and stays so from layer to layer.
           (has_residuals_ && (op == "aten::add" || op == "aten::embedding")) ||
           (has_group_norm_ &&
            (op.find("convolution") != std::string_view::npos || is_one_of(op, kTakenByGroupNorm)));
  }

  // Whether one of the blocks from `begin` to `end` is that op's, and about as large as that of `index`.
  bool is_as_large_among(std::size_t begin, std::size_t end, std::string_view op, std::size_t index) const {
    for (std::size_t other = begin; other < end; ++other) {
      if (op_of(other) == op && is_about(facts_.blocks[other].bytes, facts_.blocks[index].bytes, 1))
        return true;
    }
    return false;
  }

  bool comes_as_large(std::string_view op, std::size_t index, std::size_t within) const {
    return is_as_large_among(index + 1, std::min(index + 1 + within, facts_.blocks.size()), op, index);
  }

  // What a product gives to a power: that takes a copy of it in 32 bits, which lives on in its place.
  bool is_raised(std::size_t index) const {
    constexpr std::size_t kNear = 2;  // blocks: half of it may be made before
    return is_one_of(op_of(index), kProducts) && comes_as_large("aten::pow", index, kNear);
  }

  // x / 2 * (1 + tanh(... x ** 3 ...)): the half is in 16 bits, and of the whole the product that takes it
  // has a copy.
  bool is_of_gelu_by_hand(std::size_t index) const {
    const Block& block = facts_.blocks[index];
    return op_of(index) == "aten::mul" && is_for_backward(block) && holds_size(gelus_, block);
  }

  // A Swin's windows, cut out of what was normalized: as wide as that.
  bool is_normalized_and_cut(std::size_t index) const {
    constexpr std::size_t kNear = 4;  // blocks: what is rolled between, and the norm's mean and deviation
    return op_of(index) == "aten::clone" &&
           is_as_large_among(index - std::min(index, kNear), index, "aten::native_layer_norm", index);
  }

  // Of a dropout the mask, of a byte an element, is made before its result.
  bool is_mask(std::size_t index) const {
    if (index + 1 == facts_.blocks.size()) return false;
    const Block& mask = facts_.blocks[index];
    const Block& result = facts_.blocks[index + 1];
    return op_of(index) == "aten::native_dropout" && mask.op == result.op && mask.layer == result.layer &&
           mask.bytes < result.bytes;
  }

  bool is_dropped_out(std::size_t index) const {
    constexpr std::size_t kNear = 3;  // blocks: the mask, and the result
    return comes_as_large("aten::native_dropout", index, kNear);
  }

  // A root mean square's normalization, written in pieces: x * rsqrt(...), which stays wide, times a weight.
  std::int64_t of_product(std::size_t index) {
    const Block& block = facts_.blocks[index];
    const auto half = static_cast<std::int64_t>(block.bytes / 2);
    const auto norm = norms_.find(block.layer);
    if (norm == norms_.end() || norm->second.products == 2) return half;
    if (norm->second.products == 1 && norm->second.bytes != block.bytes) return half;
    norm->second = {block.bytes, norm->second.products + 1};
    return norm->second.products == 1 ? 0 : of_copies(index);
  }

  // What a normalization gives is in 32 bits, and each matrix product that takes it makes a copy of its own.
  std::int64_t of_copies(std::size_t index) const {
    const Block& block = facts_.blocks[index];
    return static_cast<std::int64_t>(block.bytes) -
           static_cast<std::int64_t>(block.bytes / 2) * takers_of(index);
  }

  // Products up to what follows upon them; behind a gate's function there is one more, as large as the first.
  int takers_of(std::size_t index) const {
    if (takers_across_[index] > 0) return takers_across_[index];
    constexpr std::size_t kFarthest = 64;  // blocks
    const std::size_t end = std::min(index + kFarthest, facts_.blocks.size());
    int takers = 0;
    std::uint64_t first_bytes = 0;
    bool is_behind = false;
    for (std::size_t next = index + 1; next < end; ++next) {
      const std::string_view op = op_of(next);
      if (is_one_of(op, kProducts)) {
        const std::uint64_t bytes = facts_.blocks[next].bytes;
        if (is_behind) return takers + (bytes == first_bytes ? 1 : 0);
        if (takers++ == 0) first_bytes = bytes;
      } else if (takers > 0 && (op.find("attention") != std::string_view::npos || is_one_of(op, kEnds))) {
        return takers;
      } else if (takers > 0 && is_one_of(op, kFunctions)) {
        is_behind = true;
      }
    }
    return std::max(takers, 1);
  }

  struct Norm {
    std::uint64_t bytes = 0;  // of the first product, as the second
    int products = 0;
  };

  const Facts& facts_;
  std::vector<int> takers_across_;
  bool has_residuals_ = false, has_group_norm_ = false, has_fallen_back_ = false;
  std::unordered_map<std::uint32_t, Norm> norms_;  // by layer, the last
  SizesByLayer wide_;
  SizesByLayer gelus_;  // those that are written in pieces, with a tanh of a power
};

}  // namespace

std::vector<std::int64_t> narrowed_by_autocast(const Facts& facts) {
  return Narrowing(facts).of_all();
}

}  // namespace strata::analysis
