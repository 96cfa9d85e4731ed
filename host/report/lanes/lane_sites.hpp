// SPDX-License-Identifier: Apache-2.0
// Common properties of intervals: those with the same name, module and phase share a site, so that tens of
// thousands are described by a few hundred texts.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/time_spans.hpp"
#include "host/report/lanes/lanes.hpp"

namespace strata::report {

// The kind of an interval; the page uses the numbers.
enum class IntervalKind : std::uint8_t {
  kOperator,
  kBackwardNode,
  kRange,
  kPhase,
  kForwardModule,
  kBackwardModule,
  kRecomputedModule,
  kKernel,
  kGraph,
  kCopy,
  kSet
};

struct LaneSite {
  IntervalKind kind = IntervalKind::kOperator;
  std::uint32_t phase_kind = 0;  // STRATA_PHASE_* of the phase in which it ran or was requested
  // Indices into LaneSites::texts(); 0: none.
  std::uint32_t name = 0;
  std::uint32_t full_name = 0;  // of a kernel, if it differs
  std::uint32_t layer = 0, phase = 0;
  std::uint32_t asker = 0;  // the operator that requested it
  auto operator<=>(const LaneSite&) const = default;
};

class LaneSites {
 public:
  static constexpr std::size_t kTextBytes = 300, kAllTextsBytes = 1'000'000;

  // Facts must outlive this.
  explicit LaneSites(const analysis::Facts& facts);

  // Index into sites().
  std::uint32_t of_phase(std::uint32_t phase);
  std::uint32_t of_module(const analysis::ModuleSpan& module);
  std::uint32_t of_op(std::uint32_t op);
  std::uint32_t of_activity(std::uint32_t activity);

  const std::vector<LaneSite>& sites() const { return sites_; }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::uint32_t index_of(const LaneSite& site);
  std::uint32_t word(std::string_view text);
  std::uint32_t word_of(std::uint32_t text);  // for a text of the run
  void add_phase(std::uint32_t phase, LaneSite& site);
  void name_activity(std::uint32_t activity, LaneSite& site);

  const analysis::Facts& facts_;
  std::vector<LaneSite> sites_;
  std::map<LaneSite, std::uint32_t> index_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::uint32_t> words_;
  std::unordered_map<std::uint32_t, std::uint32_t> words_of_texts_;
  std::size_t bytes_ = 0;
  std::unordered_map<std::string, std::string> short_names_;  // of kernels, by their full names
  std::map<std::array<std::uint64_t, 4>, std::array<std::uint32_t, 2>> activity_names_;
};

}  // namespace strata::report
