// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/taken_across.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "host/analysis/peak/block_roles.hpp"

namespace strata::analysis {
namespace {

constexpr std::array<std::string_view, 2> kNorms{"aten::native_layer_norm", "aten::rsqrt"};
constexpr std::array<std::string_view, 2> kProjections{"aten::mm", "aten::addmm"};
constexpr std::array<std::string_view, 2> kScores{"aten::bmm", "aten::_softmax"};

class Crossings {
 public:
  explicit Crossings(const Facts& facts) : facts_(facts), takers_(facts.blocks.size()) {}

  std::vector<int> of_all() {
    for (std::size_t index = 0; index < takers_.size(); ++index) {
      const Block& block = facts_.blocks[index];
      if (block.category != Category::kActivation && !is_temporary_of_forward(facts_, block)) continue;
      const std::string_view op = op_of(index);
      if (is_one_of(op, kNorms)) is_query_to_come_ = true;
      if (op == "aten::rsqrt") norm_in_pieces_ = block.layer;
      if (ends_encoder(index)) ends_[block.bytes] = index;
      if (is_one_of(op, kProjections)) count(index);
    }
    return takers_;
  }

 private:
  std::string_view op_of(std::size_t index) const { return facts_.texts[facts_.blocks[index].op]; }

  // Of a norm in pieces the last is the product with its weight.
  bool ends_encoder(std::size_t index) const {
    const std::string_view op = op_of(index);
    return op == "aten::native_layer_norm" || op == "aten::native_dropout" ||
           (op == "aten::mul" && facts_.blocks[index].layer == norm_in_pieces_);
  }

  // Keys and values are two products as large as what they take, or one twice as large, between a query of
  // another size and the scores.
  void count(std::size_t index) {
    const std::uint64_t bytes = facts_.blocks[index].bytes;
    if (is_query_to_come_) {
      is_query_to_come_ = false;
      query_bytes_ = bytes;
      return;
    }
    if (bytes == query_bytes_) return;
    const std::optional<std::size_t> next = next_projection(index);
    const bool are_two = next && facts_.blocks[*next].bytes == bytes;
    const auto end = ends_.find(are_two ? bytes : bytes / 2);
    if (end == ends_.end() || !are_scores_next(are_two ? *next : index)) return;
    if (facts_.blocks[end->second].is_alive_at(facts_.blocks[index].birth_sequence))
      takers_[end->second] += are_two ? 2 : 1;
  }

  std::size_t end_of_near(std::size_t index) const {
    constexpr std::size_t kNear = 8;  // blocks: copies between, and what a kernel of attention needs
    return std::min(index + 1 + kNear, facts_.blocks.size());
  }

  std::optional<std::size_t> next_projection(std::size_t index) const {
    for (std::size_t next = index + 1; next < end_of_near(index); ++next) {
      if (is_one_of(op_of(next), kProjections)) return next;
      if (is_one_of(op_of(next), kNorms)) break;
    }
    return std::nullopt;
  }

  bool are_scores_next(std::size_t index) const {
    for (std::size_t next = index + 1; next < end_of_near(index); ++next) {
      const std::string_view op = op_of(next);
      if (op.find("attention") != std::string_view::npos || is_one_of(op, kScores)) return true;
      if (is_one_of(op, kProjections) || is_one_of(op, kNorms)) return false;
    }
    return false;
  }

  const Facts& facts_;
  std::vector<int> takers_;
  std::unordered_map<std::uint64_t, std::size_t> ends_;  // by bytes, the last
  std::uint32_t norm_in_pieces_ = 0;                     // the layer of the last
  bool is_query_to_come_ = false;                        // behind a norm
  std::uint64_t query_bytes_ = 0;
};

}  // namespace

std::vector<int> takers_across(const Facts& facts) {
  return Crossings(facts).of_all();
}

}  // namespace strata::analysis
