// SPDX-License-Identifier: Apache-2.0
#include "host/grid/plan/dominance.hpp"

#include <algorithm>

#include "host/config/reading/value.hpp"

namespace strata::grid {
namespace {

bool at_or_beyond(const std::string& larger, const std::string& smaller) {
  const auto more = config::parse_real(larger), less = config::parse_real(smaller);
  if (more && less) return *more >= *less;
  return larger == smaller;
}

}  // namespace

bool dominates(const Cell& larger, const Cell& smaller, const std::vector<std::string>& axes) {
  if (larger.settings.size() != smaller.settings.size()) return false;
  return std::ranges::all_of(larger.settings, [&](const Setting& setting) {
    if (setting.axis == kSeedAxis) return true;
    const auto other = std::ranges::find(smaller.settings, setting.axis, &Setting::axis);
    if (other == smaller.settings.end()) return false;
    const bool grows = std::ranges::find(axes, setting.axis) != axes.end();
    return grows ? at_or_beyond(setting.label, other->label) : setting.label == other->label;
  });
}

}  // namespace strata::grid
