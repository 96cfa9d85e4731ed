// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/repeated_blocks.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/any_number.hpp"

namespace strata::analysis {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::uint32_t kAlikeOfNumbers = 2, kAlikeOfNumberedNames = 3;

bool is_a_number_alone(std::string_view block) {
  const std::string_view stem = stem_of_siblings(block);
  return stem.size() < block.size() && (stem.empty() || stem.ends_with('.'));
}

// Visits "a.0" and "a.0.b1" of "a.0.b1.c", the outermost first, until `visit` returns true.
template <typename Visit>
void visit_numbered(std::string_view path, const Visit& visit) {
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view up_to = path.substr(0, end);
    if (stem_of_siblings(up_to).size() < end && visit(up_to)) return;
    begin = end + 1;
  }
}

std::string_view up_to_first_number(std::string_view path) {
  std::string_view first;
  visit_numbered(path, [&](std::string_view numbered) {
    if (!is_a_number_alone(numbered)) return false;
    first = numbered;
    return true;
  });
  return first;
}

struct Module {
  std::uint64_t parameters = 0;  // a hash of relative names and sizes, independent of order
  bool has_modules = false;
};

class RepeatedBlocks {
 public:
  explicit RepeatedBlocks(const MemoryFacts& facts) {
    for (const Block& block : facts.blocks) {
      if (block.category != Category::kParameter || block.name == 0) continue;
      std::uint64_t& bytes = parameters_[facts.texts[block.name]];
      bytes = std::max(bytes, block.bytes);
    }
    for (const auto& [name, bytes] : parameters_) add(name, bytes);
    find_levels();
    for (const auto& [name, unused] : parameters_)
      if (const auto block = repeated(name))
        visit_numbered(*block, [&](std::string_view outer) {
          if (outer != *block) stages_.insert(stem_of_siblings(outer));
          return false;
        });
  }

  std::string_view of(std::string_view path) const {
    if (const auto block = repeated(path)) return *block;
    const std::string_view first = up_to_first_number(path);
    return stages_.contains(stem_of_siblings(first)) ? std::string_view() : first;
  }

 private:
  void add(std::string_view name, std::uint64_t bytes) {
    visit_numbered(name, [&](std::string_view numbered) {
      if (numbered == name) return true;  // a parameter in a list of such
      const std::string_view within = name.substr(numbered.size() + 1);
      Module& module = modules_[numbered];
      module.parameters += std::hash<std::string_view>()(within) * (2 * bytes + 1);
      module.has_modules |= within.find('.') != std::string_view::npos;
      return false;
    });
  }

  void find_levels() {
    std::map<std::pair<std::string_view, std::uint64_t>, std::uint32_t> alike;
    for (const auto& [path, module] : modules_) {
      if (!module.has_modules) continue;
      const std::uint32_t count = ++alike[{stem_of_siblings(path), module.parameters}];
      const std::uint32_t enough = is_a_number_alone(path) ? kAlikeOfNumbers : kAlikeOfNumberedNames;
      if (count >= enough) levels_.insert(with_any_number(stem_of_siblings(path)));
    }
  }

  std::optional<std::string_view> repeated(std::string_view path) const {
    std::optional<std::string_view> found;
    visit_numbered(path, [&](std::string_view numbered) {
      const auto module = modules_.find(numbered);
      if (module == modules_.end() || !module->second.has_modules) return false;
      if (!levels_.contains(with_any_number(stem_of_siblings(numbered)))) return false;
      found = numbered;
      return true;
    });
    return found;
  }

  std::unordered_map<std::string_view, std::uint64_t> parameters_;  // bytes, by name
  std::unordered_map<std::string_view, Module> modules_;            // with a name ending in a number, by path
  std::unordered_set<std::string> levels_;       // stems of those that repeat, with any number
  std::unordered_set<std::string_view> stages_;  // stems of modules that repeated ones lie in
};

}  // namespace

std::string_view stem_of_siblings(std::string_view block) {
  return block.substr(0, block.find_last_not_of(kDigits) + 1);
}

std::vector<std::uint32_t> repeated_block_lengths(const MemoryFacts& facts) {
  constexpr std::uint32_t kUnknown = UINT32_MAX;
  const RepeatedBlocks repeated(facts);
  std::vector<std::uint32_t> lengths(facts.texts.size(), kUnknown);
  const auto find = [&](std::uint32_t text) {
    if (lengths[text] == kUnknown)
      lengths[text] = static_cast<std::uint32_t>(repeated.of(facts.texts[text]).size());
  };
  for (const Block& block : facts.blocks) {
    find(block.layer);
    find(block.saver);
    find(block.name);
  }
  std::ranges::replace(lengths, kUnknown, 0U);
  return lengths;
}

std::string_view repeated_block(const MemoryFacts& facts, std::uint32_t text) {
  const std::string_view path = facts.texts[text];
  if (text < facts.repeated_block_lengths.size()) return path.substr(0, facts.repeated_block_lengths[text]);
  return up_to_first_number(path);
}

}  // namespace strata::analysis
