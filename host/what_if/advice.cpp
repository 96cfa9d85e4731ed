// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/advice.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace strata::what_if {
namespace {

class Adviser {
 public:
  Adviser(std::uint64_t capacity_bytes, Trials& trials)
      : capacity_bytes_(capacity_bytes), trials_(trials), changes_(trials.changes()) {}

  Advice advise() {
    advice_.base = line({});
    if (!advice_.base.measured.is_there()) return advice_;
    measure_alone();
    put_together();
    put_all_together();
    find_least();
    return advice_;
  }

 private:
  Line line(Selection changes) { return lines({std::move(changes)}).front(); }

  std::vector<Line> lines(const std::vector<Selection>& selections) {
    std::vector<Measurement> measured = trials_.measure(selections);
    std::vector<Line> lines;
    for (std::size_t index = 0; index < selections.size(); ++index) {
      lines.push_back({.changes = selections[index], .measured = std::move(measured[index])});
      if (lines.back().measured.is_there()) lines.back().fits = fits(lines.back());
    }
    return lines;
  }

  bool fits(const Line& line) const {
    const Measurement& measured = line.measured;
    if (measured.needed_bytes <= capacity_bytes_) return true;
    // The allocator releases memory that is reserved but not allocated before it fails.
    const std::uint64_t least = measured.needed_bytes - measured.reserved_bytes + measured.allocated_bytes;
    return least <= capacity_bytes_ && trials_.fits(line.changes);
  }

  void measure_alone() {
    std::vector<Selection> selections;
    for (std::size_t index = 0; index < changes_.size(); ++index) {
      if (changes_[index].problem.empty()) {
        selections.push_back({index});
      } else {
        advice_.refused.push_back({.change = index, .problem = changes_[index].problem});
      }
    }
    for (Line& each : lines(selections)) {
      if (each.measured.is_there()) {
        advice_.alone.push_back(std::move(each));
      } else {
        advice_.refused.push_back({.change = each.changes.front(), .problem = each.measured.problem});
      }
    }
  }

  const Line& last() const { return advice_.together.empty() ? advice_.base : advice_.together.back(); }

  static bool saves(const Measurement& less, const Measurement& more) {
    const auto is_less = [](std::uint64_t one, std::uint64_t other) { return one + kLeastSaving <= other; };
    return is_less(less.needed_bytes, more.needed_bytes) ||
           (less.needed_bytes <= more.needed_bytes && is_less(less.allocated_bytes, more.allocated_bytes));
  }

  // The changes with `effect` that save memory alone; largest saving first.
  Selection savers(Effect effect) const {
    std::vector<const Line*> lines;
    for (const Line& alone : advice_.alone) {
      const bool is_of_it = changes_[alone.changes.front()].effect == effect;
      if (is_of_it && saves(alone.measured, advice_.base.measured)) lines.push_back(&alone);
    }
    std::ranges::stable_sort(lines, {}, [](const Line* one) { return one->measured.needed_bytes; });
    Selection found;
    found.reserve(lines.size());
    for (const Line* const each : lines) found.push_back(each->changes.front());
    return found;
  }

  // Each one that still saves something in addition to those before it.
  void put_together() {
    std::set<std::string> groups;
    for (const std::size_t index : savers(Effect::kSameMathematics)) {
      if (groups.contains(changes_[index].group)) continue;
      Selection more = last().changes;
      more.push_back(index);
      // The first one was already measured alone.
      Line next = more.size() == 1 ? *alone(index) : line(std::move(more));
      if (!next.measured.is_there() || !saves(next.measured, last().measured)) continue;
      groups.insert(changes_[index].group);
      advice_.together.push_back(std::move(next));
    }
  }

  void put_all_together() {
    Line best = last();
    std::set<std::string> groups;
    for (const std::size_t index : savers(Effect::kOtherMathematics)) {
      if (groups.contains(changes_[index].group)) continue;
      Selection more = best.changes;
      more.push_back(index);
      Line next = line(std::move(more));
      if (!next.measured.is_there() || !saves(next.measured, best.measured)) continue;
      groups.insert(changes_[index].group);
      best = std::move(next);
    }
    if (!groups.empty()) advice_.all = std::move(best);
  }

  const Line* alone(std::size_t index) const {
    const auto found =
        std::ranges::find_if(advice_.alone, [&](const Line& line) { return line.changes.front() == index; });
    return &*found;
  }

  bool keeps_mathematics(const Line& line) const {
    return std::ranges::all_of(
        line.changes, [&](std::size_t index) { return changes_[index].effect == Effect::kSameMathematics; });
  }

  void find_least() {
    if (advice_.base.fits) return;
    const auto take = [&](const Line& line) {
      if (!line.fits) return;
      const auto cost = [&](const Line& one) {
        return std::tuple(!keeps_mathematics(one), one.measured.step_ns.value_or(0.0), one.changes.size());
      };
      if (!advice_.least || cost(line) < cost(*advice_.least)) advice_.least = line;
    };
    for (const Line& line : advice_.alone) take(line);
    for (const Line& line : advice_.together) take(line);
    if (!advice_.least && advice_.all) take(*advice_.all);
    if (advice_.least) leave_out_what_is_not_needed(*advice_.least);
  }

  // The one with the most time alone first.
  void leave_out_what_is_not_needed(Line& least) {
    Selection in_turn = least.changes;
    std::ranges::stable_sort(in_turn, std::ranges::greater(),
                             [&](std::size_t index) { return alone(index)->measured.step_ns.value_or(0.0); });
    for (const std::size_t index : in_turn) {
      if (least.changes.size() == 1) return;
      Selection fewer = least.changes;
      std::erase(fewer, index);
      Line without = line(std::move(fewer));
      if (without.measured.is_there() && without.fits) least = std::move(without);
    }
  }

  std::uint64_t capacity_bytes_;
  Trials& trials_;
  const std::vector<Change>& changes_;  // none before the first measurement
  Advice advice_;
};

}  // namespace

Advice advise(std::uint64_t capacity_bytes, Trials& trials) {
  return Adviser(capacity_bytes, trials).advise();
}

}  // namespace strata::what_if
