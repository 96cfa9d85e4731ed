// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/step_intervals.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::RankFacts;
using analysis::RankPhase;

constexpr std::size_t kLongestName = 80;

class IntervalList {
 public:
  IntervalList(const RankFacts& rank, double narrow_ns) : rank_(rank), narrow_ns_(narrow_ns) {}

  void add_wait(const analysis::Interval& wait) {
    intervals_.push_back({.begin_ns = wait.begin_ns, .end_ns = wait.end_ns, .name = {}, .waits = true});
  }

  void add(const RankPhase& phase) {
    if (phase.end_ns <= phase.begin_ns) return;
    if (is_narrow(phase.begin_ns, phase.end_ns)) return add_narrow(phase);
    is_open_ = false;
    const std::int64_t waits_from_ns = phase.end_ns - phase.waited_ns;
    if (waits_from_ns > phase.begin_ns) push(phase, phase.begin_ns, waits_from_ns);
    if (phase.end_ns > waits_from_ns) push(phase, waits_from_ns, phase.end_ns, true);
  }

  std::vector<StepInterval> take() { return std::move(intervals_); }

 private:
  bool is_narrow(std::int64_t from_ns, std::int64_t to_ns) const {
    return static_cast<double>(to_ns - from_ns) < narrow_ns_;
  }

  void push(const RankPhase& phase, std::int64_t from_ns, std::int64_t to_ns, bool waits = false) {
    intervals_.push_back({from_ns, to_ns, phase.kind, rank_.names[phase.name], 1, waits});
  }

  void add_narrow(const RankPhase& phase) {
    const std::int64_t length_ns = phase.end_ns - phase.begin_ns;
    if (!is_open_ || !is_narrow(intervals_.back().begin_ns, phase.begin_ns)) {
      push(phase, phase.begin_ns, phase.end_ns);
      longest_ns_ = length_ns;
      is_open_ = true;
      return;
    }
    StepInterval& last = intervals_.back();
    last.end_ns = phase.end_ns;
    ++last.phases;
    if (length_ns <= longest_ns_) return;
    last.kind = phase.kind;
    last.name = rank_.names[phase.name];
    longest_ns_ = length_ns;
  }

  const RankFacts& rank_;
  double narrow_ns_;
  std::vector<StepInterval> intervals_;
  bool is_open_ = false;         // the last one is of narrow phases, and may get more
  std::int64_t longest_ns_ = 0;  // of its phases
};

}  // namespace

std::string StepInterval::text() const {
  if (phases == 0) return "waits for others";
  const std::string said = clipped(name, kLongestName);
  if (phases > 1) return fmt::format("{} phases, of which {} is longest,", phases, said);
  return waits ? said + ", waiting for others," : said;
}

std::vector<StepInterval> intervals_of(const RankFacts& rank, const analysis::RankStep& step,
                                       double narrow_ns) {
  IntervalList list(rank, narrow_ns);
  if (step.wait) list.add_wait(*step.wait);
  for (const RankPhase& phase : step.phases) list.add(phase);
  return list.take();
}

}  // namespace strata::report
