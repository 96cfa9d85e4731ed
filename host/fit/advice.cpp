// SPDX-License-Identifier: Apache-2.0
#include "host/fit/advice.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

namespace strata::fit {
namespace {

// Below it a change saves nothing worth naming.
constexpr std::uint64_t kLeastSaving = std::uint64_t{1} << 20;

class Adviser {
 public:
  Adviser(const std::vector<Switch>& switches, std::uint64_t capacity_bytes, Trials& trials)
      : switches_(switches), capacity_bytes_(capacity_bytes), trials_(trials) {}

  Advice advise() {
    advice_.base = line({});
    if (!advice_.base.measured.is_there()) return advice_;
    for (std::size_t index = 0; index < switches_.size(); ++index) {
      Line alone = line({index});
      if (alone.measured.is_there()) advice_.alone.push_back(std::move(alone));
    }
    put_together();
    put_all_together();
    find_least();
    return advice_;
  }

 private:
  Line line(std::vector<std::size_t> switches) {
    Line line{.switches = std::move(switches), .measured = {}};
    line.measured = trials_.measure(line.switches);
    if (!line.measured.is_there()) return line;
    const Measurement& measured = line.measured;
    line.fits = measured.needed_bytes <= capacity_bytes_;
    // What is reserved and not allocated the allocator gives back before it fails.
    const std::uint64_t least = measured.needed_bytes - measured.reserved_bytes + measured.allocated_bytes;
    if (!line.fits && least <= capacity_bytes_) line.fits = trials_.fits(line.switches);
    return line;
  }

  const Line& last() const { return advice_.together.empty() ? advice_.base : advice_.together.back(); }

  static bool saves(const Measurement& less, const Measurement& more) {
    const auto is_less = [](std::uint64_t one, std::uint64_t other) { return one + kLeastSaving <= other; };
    return is_less(less.needed_bytes, more.needed_bytes) ||
           (less.needed_bytes <= more.needed_bytes && is_less(less.allocated_bytes, more.allocated_bytes));
  }

  // Of `effect`, what saves anything alone; most first.
  std::vector<std::size_t> savers(Effect effect) const {
    std::vector<const Line*> lines;
    for (const Line& alone : advice_.alone) {
      const bool is_of_it = switches_[alone.switches.front()].effect == effect;
      if (is_of_it && saves(alone.measured, advice_.base.measured)) lines.push_back(&alone);
    }
    std::ranges::stable_sort(lines, {}, [](const Line* one) { return one->measured.needed_bytes; });
    std::vector<std::size_t> found;
    found.reserve(lines.size());
    for (const Line* const each : lines) found.push_back(each->switches.front());
    return found;
  }

  // Each that still saves something beside those before it.
  void put_together() {
    std::set<std::string> groups;
    for (const std::size_t index : savers(Effect::kSameMathematics)) {
      if (groups.contains(switches_[index].group)) continue;
      std::vector<std::size_t> more = last().switches;
      more.push_back(index);
      // The first stands alone already.
      Line next = more.size() == 1 ? *alone(index) : line(std::move(more));
      if (!next.measured.is_there() || !saves(next.measured, last().measured)) continue;
      groups.insert(switches_[index].group);
      advice_.together.push_back(std::move(next));
    }
  }

  void put_all_together() {
    Line best = last();
    std::set<std::string> groups;
    for (const std::size_t index : savers(Effect::kOtherMathematics)) {
      if (groups.contains(switches_[index].group)) continue;
      std::vector<std::size_t> more = best.switches;
      more.push_back(index);
      Line next = line(std::move(more));
      if (!next.measured.is_there() || !saves(next.measured, best.measured)) continue;
      groups.insert(switches_[index].group);
      best = std::move(next);
    }
    if (!groups.empty()) advice_.all = std::move(best);
  }

  const Line* alone(std::size_t index) const {
    const auto found =
        std::ranges::find_if(advice_.alone, [&](const Line& line) { return line.switches.front() == index; });
    return &*found;
  }

  bool keeps_mathematics(const Line& line) const {
    return std::ranges::all_of(line.switches, [&](std::size_t index) {
      return switches_[index].effect == Effect::kSameMathematics;
    });
  }

  void find_least() {
    if (advice_.base.fits) return;
    const auto take = [&](const Line& line) {
      if (!line.fits) return;
      const auto cost = [&](const Line& one) {
        return std::tuple(!keeps_mathematics(one), one.measured.step_ns.value_or(0.0), one.switches.size());
      };
      if (!advice_.least || cost(line) < cost(*advice_.least)) advice_.least = line;
    };
    for (const Line& line : advice_.alone) take(line);
    for (const Line& line : advice_.together) take(line);
    if (!advice_.least && advice_.all) take(*advice_.all);
    if (advice_.least) leave_out_what_is_not_needed(*advice_.least);
  }

  // What takes most time alone first.
  void leave_out_what_is_not_needed(Line& least) {
    std::vector<std::size_t> in_turn = least.switches;
    std::ranges::stable_sort(in_turn, std::ranges::greater(),
                             [&](std::size_t index) { return alone(index)->measured.step_ns.value_or(0.0); });
    for (const std::size_t index : in_turn) {
      if (least.switches.size() == 1) return;
      std::vector<std::size_t> fewer = least.switches;
      std::erase(fewer, index);
      Line without = line(std::move(fewer));
      if (without.measured.is_there() && without.fits) least = std::move(without);
    }
  }

  const std::vector<Switch>& switches_;
  std::uint64_t capacity_bytes_;
  Trials& trials_;
  Advice advice_;
};

}  // namespace

Advice advise(const std::vector<Switch>& switches, std::uint64_t capacity_bytes, Trials& trials) {
  return Adviser(switches, capacity_bytes, trials).advise();
}

}  // namespace strata::fit
