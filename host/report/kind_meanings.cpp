// SPDX-License-Identifier: Apache-2.0
#include "host/report/kind_meanings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace strata::report {
namespace {

using Meaning = std::pair<std::string_view, std::string_view>;

constexpr auto kMeanings = std::to_array<Meaning>({
    {"saved", "made in forward and kept for backward"},
    {"recompute", "made again inside backward, by checkpointing"},
    {"retained", "kept by autograd beyond its backward"},
    {"forward_residue", "made in a forward, and still there behind its backward or where it was cut short"},
    {"flowing", "gradients on their way through backward"},
    {"accumulate_temp", "added to a gradient and let go"},
    {"op_temp", "made and let go within one phase"},
    {"optimizer_temp", "made and let go within the optimizer"},
    {"workspace", "what a library computes in"},
    {"comm", "what ranks exchange through"},
    {"graph_pool", "kept by a CUDA graph for its replays"},
    {"gathered", "parameters of all ranks put together"},
    {"unattributed", "kept, and nobody said whose it is (in C++ strata::name_tensor does)"},
});

}  // namespace

std::string kind_label(analysis::Category category, std::string_view kind) {
  const std::string_view name = to_string(category);
  constexpr std::string_view kOptimizer = "Optimizer_";
  const std::string_view said = name.starts_with(kOptimizer) ? name.substr(kOptimizer.size()) : name;
  const bool says_it = std::ranges::equal(said, kind, [](char left, char right) {
    return std::tolower(static_cast<unsigned char>(left)) == std::tolower(static_cast<unsigned char>(right));
  });
  return says_it ? std::string(name) : fmt::format("{} {}", name, kind);
}

std::string kind_meanings(const std::set<std::string_view>& kinds) {
  std::string text;
  for (const auto& [kind, meaning] : kMeanings) {
    if (!kinds.contains(kind)) continue;
    if (!text.empty()) text += "; ";
    text.append(kind).append(": ").append(meaning);
  }
  return text;
}

}  // namespace strata::report
