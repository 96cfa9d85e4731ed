// SPDX-License-Identifier: Apache-2.0
// Common properties of blocks: those with the same category, rule, name, operator, module and form share a
// site, so that a million of them are described by a few thousand texts.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

struct BlockSite {
  analysis::Category category = analysis::Category::kUnknown;
  // Indices into BlockSites::texts; 0: none.
  std::uint32_t kind = 0, reason = 0, name = 0, op = 0, layer = 0, saver = 0, dtype = 0, shape = 0;
  auto operator<=>(const BlockSite&) const = default;
  // In the order used by the page.
  std::array<std::uint32_t*, 8> words() {
    return {&kind, &reason, &name, &op, &layer, &saver, &dtype, &shape};
  }
  std::array<std::uint32_t, 8> words() const { return {kind, reason, name, op, layer, saver, dtype, shape}; }
};

struct BlockSites {
  std::vector<BlockSite> sites;        // most allocations first
  std::vector<std::uint32_t> site_of;  // by allocation of the stream
  std::vector<std::string> texts;      // [0] is empty; each cut to its limit, and printable
  std::uint64_t texts_left_out = 0;    // of sites with few allocations, beyond the limit: replaced by "…"
};

struct SiteLimits {
  std::size_t text_bytes = 300;             // per text
  std::size_t all_texts_bytes = 4'000'000;  // for all texts together
};

BlockSites block_sites(const analysis::MemoryFacts& facts, const EventStream& stream,
                       const SiteLimits& limits = {});

}  // namespace strata::report
