// SPDX-License-Identifier: Apache-2.0
#include "host/report/kind_meanings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace strata::report {
namespace {

using analysis::BlockKind;
using Meaning = std::pair<BlockKind, std::string_view>;

constexpr auto kMeanings = std::to_array<Meaning>({
    {BlockKind::kSaved, "made in forward and kept for backward"},
    {BlockKind::kRecompute, "made again inside backward, by checkpointing"},
    {BlockKind::kRetained, "kept by autograd beyond its backward"},
    {BlockKind::kForwardResidue,
     "made in a forward, and still there behind its backward or where it was cut short"},
    {BlockKind::kFlowing, "gradients on their way through backward"},
    {BlockKind::kAccumulateTemp, "added to a gradient and let go"},
    {BlockKind::kOpTemp, "made and let go within one phase"},
    {BlockKind::kOptimizerTemp, "made and let go within the optimizer"},
    {BlockKind::kWorkspace, "what a library computes in"},
    {BlockKind::kComm, "what ranks exchange through"},
    {BlockKind::kGraphPool, "kept by a CUDA graph for its replays"},
    {BlockKind::kGathered, "parameters of all ranks put together"},
    {BlockKind::kWeightCopy, "a copy of parameters, kept or made for another card"},
    {BlockKind::kUnattributed, "kept, and nobody said whose it is (in C++ strata::name_tensor does)"},
});

}  // namespace

std::string kind_label(analysis::Category category, analysis::BlockKind kind) {
  const std::string_view name = to_string(category);
  constexpr std::string_view kOptimizer = "Optimizer_";
  const std::string_view said = name.starts_with(kOptimizer) ? name.substr(kOptimizer.size()) : name;
  const bool says_it = std::ranges::equal(said, to_string(kind), [](char left, char right) {
    return std::tolower(static_cast<unsigned char>(left)) == std::tolower(static_cast<unsigned char>(right));
  });
  return says_it ? std::string(name) : fmt::format("{} {}", name, to_string(kind));
}

std::string kind_meanings(const std::set<analysis::BlockKind>& kinds) {
  std::string text;
  for (const auto& [kind, meaning] : kMeanings) {
    if (!kinds.contains(kind)) continue;
    if (!text.empty()) text += "; ";
    text.append(to_string(kind)).append(": ").append(meaning);
  }
  return text;
}

}  // namespace strata::report
