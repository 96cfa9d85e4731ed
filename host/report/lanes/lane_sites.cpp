// SPDX-License-Identifier: Apache-2.0
#include "host/report/lanes/lane_sites.hpp"

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/time/kernel_names.hpp"
#include "host/analysis/time/span_kinds.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::kNoRow;

constexpr std::uint32_t kLeftOut = 1;  // the index of "…"

IntervalKind interval_kind(analysis::WorkKind work) {
  switch (work) {
    case analysis::WorkKind::kCopy:
      return IntervalKind::kCopy;
    case analysis::WorkKind::kSet:
      return IntervalKind::kSet;
    case analysis::WorkKind::kGraph:
      return IntervalKind::kGraph;
    case analysis::WorkKind::kKernel:
      break;
  }
  return IntervalKind::kKernel;
}

IntervalKind interval_kind(analysis::OpKind kind) {
  if (kind == analysis::OpKind::kRange) return IntervalKind::kRange;
  return kind == analysis::OpKind::kBackwardNode ? IntervalKind::kBackwardNode : IntervalKind::kOperator;
}

IntervalKind interval_kind(analysis::ModuleDirection direction) {
  if (direction == analysis::ModuleDirection::kBackward) return IntervalKind::kBackwardModule;
  return direction == analysis::ModuleDirection::kRecompute ? IntervalKind::kRecomputedModule
                                                            : IntervalKind::kForwardModule;
}

}  // namespace

LaneSites::LaneSites(const analysis::Facts& facts) : facts_(facts), texts_{"", "…"} {
  if (!facts.time) return;
  for (const analysis::KernelTime& kernel : facts.time->kernels)
    short_names_.emplace(kernel.full_name, kernel.name);
}

std::uint32_t LaneSites::index_of(const LaneSite& site) {
  const auto [found, is_new] = index_.try_emplace(site, static_cast<std::uint32_t>(sites_.size()));
  if (is_new) sites_.push_back(site);
  return found->second;
}

std::uint32_t LaneSites::word(std::string_view text) {
  if (text.empty()) return 0;
  std::string shown = clipped(text, kTextBytes);
  if (const auto found = words_.find(shown); found != words_.end()) return found->second;
  if (bytes_ + shown.size() > kAllTextsBytes) return kLeftOut;
  bytes_ += shown.size();
  const auto index = static_cast<std::uint32_t>(texts_.size());
  texts_.push_back(shown);
  words_.emplace(std::move(shown), index);
  return index;
}

std::uint32_t LaneSites::word_of(std::uint32_t text) {
  const auto [found, is_new] = words_of_texts_.try_emplace(text, 0);
  if (is_new) found->second = word(facts_.texts[text]);
  return found->second;
}

void LaneSites::add_phase(std::uint32_t phase, LaneSite& site) {
  if (phase == kNoRow) return;
  site.phase = word(facts_.phases[phase].name);
  site.phase_kind = facts_.phases[phase].kind;
}

std::uint32_t LaneSites::of_phase(std::uint32_t phase) {
  LaneSite site{.kind = IntervalKind::kPhase};
  site.name = word(facts_.phases[phase].name);
  site.phase_kind = facts_.phases[phase].kind;
  return index_of(site);
}

std::uint32_t LaneSites::of_module(const analysis::ModuleSpan& module) {
  LaneSite site;
  site.kind = interval_kind(analysis::direction_of(module));
  const std::string& path = facts_.texts[module.path];
  site.name = path.empty() ? word("(model)") : word_of(module.path);
  return index_of(site);
}

std::uint32_t LaneSites::of_op(std::uint32_t op) {
  const analysis::OpSpan& span = facts_.time->spans[op];
  LaneSite site;
  site.kind = interval_kind(analysis::kind_of(span));
  site.name = word_of(span.name);
  site.layer = word_of(span.layer);
  add_phase(span.phase, site);
  return index_of(site);
}

// Taking a kernel's name apart costs more than all else here: once for each.
void LaneSites::name_activity(std::uint32_t activity, LaneSite& site) {
  const analysis::ActivityRow& row = facts_.time->activities[activity];
  const auto [found, is_new] = activity_names_.try_emplace({row.kind, row.detail, row.name, row.graph},
                                                           std::array<std::uint32_t, 2>{});
  if (is_new) {
    const std::string full = analysis::activity_name(row, facts_.texts[row.name]);
    const auto known = short_names_.find(full);
    const std::string& shown = known == short_names_.end() ? full : known->second;
    found->second = {word(shown), shown == full ? 0 : word(full)};
  }
  site.name = found->second[0];
  site.full_name = found->second[1];
}

std::uint32_t LaneSites::of_activity(std::uint32_t activity) {
  const analysis::ActivityPlace& place = facts_.time->places[activity];
  LaneSite site;
  site.kind = interval_kind(analysis::work_kind_of(facts_.time->activities[activity].kind));
  name_activity(activity, site);
  site.layer = word_of(place.layer);
  add_phase(place.phase, site);
  if (place.op != kNoRow) site.asker = word_of(facts_.time->spans[place.op].name);
  return index_of(site);
}

}  // namespace strata::report
