// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream/block_sites.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/text.hpp"
#include "host/report/words/reasons.hpp"

namespace strata::report {
namespace {

using analysis::MemoryFacts;

struct SiteHash {
  std::size_t operator()(const BlockSite& site) const {
    std::size_t hash = static_cast<std::size_t>(site.category);
    for (const std::uint32_t part : site.words()) hash = (hash ^ part) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 32U);
  }
};

// Texts of the run by their index, then the static ones as they are met.
class Words {
 public:
  explicit Words(const MemoryFacts& facts) : facts_(facts) {}

  std::uint32_t of_static(std::string_view text) {
    if (text.empty()) return 0;
    const auto next = static_cast<std::uint32_t>(facts_.texts.size() + more_.size());
    const auto [found, is_new] = index_.try_emplace(text, next);
    if (is_new) more_.push_back(text);
    return found->second;
  }
  std::string_view text(std::uint32_t word) const {
    return word < facts_.texts.size() ? std::string_view(facts_.texts[word])
                                      : more_.at(word - facts_.texts.size());
  }
  std::size_t count() const { return facts_.texts.size() + more_.size(); }

 private:
  const MemoryFacts& facts_;
  std::unordered_map<std::string_view, std::uint32_t> index_;
  std::vector<std::string_view> more_;
};

BlockSite site_of(const analysis::Block& block, const analysis::TensorForm& form, Words& words) {
  return {block.category,
          words.of_static(to_string(block.kind)),
          words.of_static(reason_text(block.reason)),
          block.name,
          block.op,
          block.layer,
          block.saver,
          form.dtype,
          form.shape};
}

// Replaces words by indices into `sites.texts`, as few as sites use.
void keep_texts(BlockSites& sites, const Words& words, const SiteLimits& limits) {
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> kept(std::max<std::size_t>(words.count(), 1), kNone);
  kept[0] = 0;
  sites.texts = {"", "…"};
  std::size_t bytes = 0;
  const auto keep = [&](std::uint32_t& word) {
    if (kept[word] == kNone) {
      std::string text = clipped(words.text(word), limits.text_bytes);
      const bool fits = bytes + text.size() <= limits.all_texts_bytes;
      kept[word] = fits ? static_cast<std::uint32_t>(sites.texts.size()) : 1;
      if (fits) {
        bytes += text.size();
        sites.texts.push_back(std::move(text));
      } else {
        ++sites.texts_left_out;
      }
    }
    word = kept[word];
  };
  for (BlockSite& site : sites.sites)
    for (std::uint32_t* const word : site.words()) keep(*word);
}

}  // namespace

BlockSites block_sites(const MemoryFacts& facts, const EventStream& stream, const SiteLimits& limits) {
  Words words(facts);
  BlockSites sites;
  std::vector<std::uint64_t> allocations;
  std::unordered_map<BlockSite, std::uint32_t, SiteHash> index;
  sites.site_of.reserve(stream.allocations.size());
  for (const StreamAllocation& allocation : stream.allocations) {
    BlockSite site;
    if (allocation.block == kJoinedBlocks) {
      site.category = allocation.category;
      site.kind = words.of_static("joined");
      site.reason = words.of_static("the page holds them together, the run store one by one");
    } else {
      const analysis::Block& block = facts.blocks[allocation.block];
      site = site_of(block, facts.forms.at(block.form), words);
    }
    const auto [found, is_new] = index.try_emplace(site, static_cast<std::uint32_t>(sites.sites.size()));
    if (is_new) {
      sites.sites.push_back(site);
      allocations.push_back(0);
    }
    ++allocations[found->second];
    sites.site_of.push_back(found->second);
  }

  std::vector<std::uint32_t> order(sites.sites.size()), place(order.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t site) { return allocations[site]; });
  std::vector<BlockSite> ordered;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    ordered.push_back(sites.sites[order[i]]);
  }
  sites.sites = std::move(ordered);
  for (std::uint32_t& site : sites.site_of) site = place[site];
  keep_texts(sites, words, limits);
  return sites;
}

}  // namespace strata::report
