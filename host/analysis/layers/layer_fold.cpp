// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/layer_fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace strata::analysis {
namespace {

constexpr auto kParameters = static_cast<std::size_t>(Category::kParameter);

std::optional<std::uint32_t> number(const std::string& name) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
  return error == std::errc() && end == name.data() + name.size() ? std::optional(value) : std::nullopt;
}

// For each node a number that those share below which the same parameters stand.
std::vector<std::uint32_t> architectures(const std::vector<LayerNode>& nodes) {
  using Parts = std::vector<std::pair<std::string, std::uint32_t>>;
  std::map<std::pair<std::uint64_t, Parts>, std::uint32_t> known;
  std::vector<Parts> parts(nodes.size());
  std::vector<std::uint32_t> architecture(nodes.size());
  for (std::size_t index = nodes.size(); index-- > 0;) {
    std::ranges::sort(parts[index]);
    const auto next = static_cast<std::uint32_t>(known.size());
    architecture[index] =
        known.try_emplace({nodes[index].parameter_bytes, std::move(parts[index])}, next).first->second;
    if (index > 0 && nodes[index].total[kParameters] > 0)
      parts[nodes[index].parent].emplace_back(nodes[index].name, architecture[index]);
  }
  return architecture;
}

// "[0-11]", "[0,2,4-6]"; a single one as it is.
std::string range_text(std::vector<std::uint32_t> numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  if (numbers.size() == 1) return fmt::format("{}", numbers.front());
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += text.empty() ? "[" : ",";
    text += first == last ? fmt::format("{}", numbers[first])
                          : fmt::format("{}-{}", numbers[first], numbers[last]);
    first = last + 1;
  }
  return text + "]";
}

}  // namespace

FoldedLayers fold_layers(const std::vector<LayerNode>& nodes) {
  const std::vector<std::uint32_t> architecture = architectures(nodes);
  FoldedLayers folded{{}, std::vector<std::uint32_t>(nodes.size())};
  std::vector<std::vector<std::uint32_t>> numbers;
  // A parent's place, and a name or an architecture.
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t>, std::uint32_t> places;
  for (std::size_t index = 0; index < nodes.size(); ++index) {
    const LayerNode& node = nodes[index];
    const std::uint32_t parent = folded.place_of[node.parent];
    const auto its_number = index == 0 ? std::nullopt : number(node.name);
    const auto next = static_cast<std::uint32_t>(folded.nodes.size());
    const auto [place, is_new] =
        its_number ? places.try_emplace({parent, "", architecture[index] + 1}, next)
                   : places.try_emplace({parent, index == 0 ? "" : node.name + '.', 0}, next);
    folded.place_of[index] = place->second;
    const std::uint64_t bytes = sum(node.total);
    if (is_new) {
      LayerNode made = node;
      made.parent = parent;
      made.smallest_bytes = made.largest_bytes = bytes;
      folded.nodes.push_back(std::move(made));
      numbers.emplace_back();
    } else {
      LayerNode& one = folded.nodes[place->second];
      for (std::size_t category = 0; category < kCategories; ++category) {
        one.self[category] += node.self[category];
        one.total[category] += node.total[category];
      }
      one.blocks += node.blocks;
      ++one.members;
      one.smallest_bytes = std::min(one.smallest_bytes, bytes);
      one.largest_bytes = std::max(one.largest_bytes, bytes);
    }
    if (its_number) numbers[place->second].push_back(*its_number);
  }
  for (std::size_t index = 1; index < folded.nodes.size(); ++index) {
    LayerNode& node = folded.nodes[index];
    const LayerNode& parent = folded.nodes[node.parent];
    if (!numbers[index].empty()) node.name = range_text(numbers[index]);
    node.path = parent.path.empty() ? node.name : parent.path + '.' + node.name;
  }
  return folded;
}

}  // namespace strata::analysis
