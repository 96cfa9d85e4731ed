// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/label_places.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace strata::report::plot {
namespace {

// Points: between candidates, and around a box that nothing else may come into.
constexpr double kStepX = 6.0, kStepY = 5.0, kClearance = 2.5, kTipClearance = 4.0;
// The first labels are placed knowing nothing of the last: each may move again.
constexpr int kRounds = 4;
// Costs of defects, relative to a point of arrow length.
constexpr double kCrossingCost = 1000.0, kHidingCost = 320.0, kShortest = 10.0, kTooShortCost = 30.0,
                 kLong = 120.0;

struct Segment {
  Position from, to;
};

bool overlap(const Rectangle& left, const Rectangle& right, double clearance) {
  return left.left < right.left + right.width + clearance &&
         right.left < left.left + left.width + clearance && left.top < right.top + right.height + clearance &&
         right.top < left.top + left.height + clearance;
}

bool holds(const Rectangle& box, Position at, double clearance) {
  return at.x > box.left - clearance && at.x < box.left + box.width + clearance &&
         at.y > box.top - clearance && at.y < box.top + box.height + clearance;
}

double side(Position from, Position to, Position at) {
  return (to.x - from.x) * (at.y - from.y) - (to.y - from.y) * (at.x - from.x);
}

bool cross(const Segment& left, const Segment& right) {
  return side(left.from, left.to, right.from) * side(left.from, left.to, right.to) < 0.0 &&
         side(right.from, right.to, left.from) * side(right.from, right.to, left.to) < 0.0;
}

bool hits(const Segment& arrow, const Rectangle& box) {
  const Position corners[] = {{box.left, box.top},
                              {box.left + box.width, box.top},
                              {box.left + box.width, box.top + box.height},
                              {box.left, box.top + box.height}};
  if (holds(box, arrow.from, 0.0) || holds(box, arrow.to, 0.0)) return true;
  for (std::size_t corner = 0; corner < 4; ++corner) {
    if (cross(arrow, {corners[corner], corners[(corner + 1) % 4]})) return true;
  }
  return false;
}

Position nearest_on(const Rectangle& box, Position tip) {
  return {std::clamp(tip.x, box.left, box.left + box.width),
          std::clamp(tip.y, box.top, box.top + box.height)};
}

class Placer {
 public:
  Placer(const std::vector<WantedLabel>& wanted, const LabelGround& ground)
      : wanted_(wanted), ground_(ground) {}

  std::vector<PlacedLabel> place() {
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t label = 0; label < wanted_.size(); ++label) {
        std::erase_if(placed_, [&](const PlacedLabel& placed) { return placed.label == label; });
        if (const auto best = best_place(label)) placed_.push_back(*best);
      }
    }
    std::ranges::sort(placed_, {}, &PlacedLabel::label);
    return placed_;
  }

 private:
  std::optional<PlacedLabel> best_place(std::size_t label) const {
    const WantedLabel& want = wanted_[label];
    const Rectangle& area = ground_.area;
    std::optional<PlacedLabel> best;
    double least = std::numeric_limits<double>::max();
    for (double top = area.top; top + want.height <= area.top + area.height; top += kStepY) {
      for (double left = area.left; left + want.width <= area.left + area.width; left += kStepX) {
        const Rectangle box{left, top, want.width, want.height};
        const PlacedLabel candidate{label, box, nearest_on(box, want.tip)};
        const double length = std::hypot(candidate.from.x - want.tip.x, candidate.from.y - want.tip.y);
        if (length >= least || !is_allowed(candidate)) continue;
        const double cost = length + cost_of(candidate, length);
        if (cost >= least) continue;
        least = cost;
        best = candidate;
      }
    }
    return best;
  }

  bool is_allowed(const PlacedLabel& candidate) const {
    const Segment arrow{candidate.from, wanted_[candidate.label].tip};
    for (const WantedLabel& want : wanted_) {
      if (holds(candidate.box, want.tip, kTipClearance)) return false;
    }
    for (const Rectangle& taken : ground_.taken) {
      if (overlap(candidate.box, taken, kClearance)) return false;
    }
    return std::ranges::none_of(placed_, [&](const PlacedLabel& other) {
      return overlap(candidate.box, other.box, kClearance) || hits(arrow, other.box) ||
             hits({other.from, wanted_[other.label].tip}, candidate.box);
    });
  }

  double cost_of(const PlacedLabel& candidate, double length) const {
    const Segment arrow{candidate.from, wanted_[candidate.label].tip};
    double cost = (length < kShortest ? kTooShortCost : 0.0) + length * length / kLong;
    for (const PlacedLabel& other : placed_) {
      if (cross(arrow, {other.from, wanted_[other.label].tip})) cost += kCrossingCost;
    }
    return cost + kHidingCost * hidden_share(candidate.box);
  }

  // The fraction of the box that covers drawn content.
  double hidden_share(const Rectangle& box) const {
    constexpr int kSamples = 24;
    double hidden = 0.0;
    for (int sample = 0; sample < kSamples; ++sample) {
      const double x = box.left + box.width * sample / (kSamples - 1);
      hidden += std::clamp(box.top + box.height - ground_.covered_from(x), 0.0, box.height) / box.height;
    }
    return hidden / kSamples;
  }

  const std::vector<WantedLabel>& wanted_;
  const LabelGround& ground_;
  std::vector<PlacedLabel> placed_;
};

}  // namespace

std::vector<PlacedLabel> place_labels(const std::vector<WantedLabel>& wanted, const LabelGround& ground) {
  return Placer(wanted, ground).place();
}

}  // namespace strata::report::plot
