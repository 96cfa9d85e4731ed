// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "host/report/quantity.hpp"
#include "host/report/ranks/rank_choice.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::JobFacts;
using analysis::RankPhase;
using analysis::RankStep;

constexpr int kRankColumns = 8;

struct DrawnStep {
  std::size_t rank = 0;
  const RankStep* step = nullptr;
};

std::vector<DrawnStep> steps_to_draw(const JobFacts& job) {
  std::vector<DrawnStep> drawn;
  for (const std::size_t rank : shown_ranks(job)) {
    const auto& steps = job.ranks[rank].steps;
    const auto found = std::ranges::find(steps, job.shown_step, &RankStep::index);
    if (found != steps.end()) drawn.push_back({rank, &*found});
  }
  return drawn;
}

// Names of phases and the letters they are drawn with: their first one that is free.
class Letters {
 public:
  char of(const std::string& name) {
    const auto known = letters_.find(name);
    if (known != letters_.end()) return known->second;
    return letters_[name] = free_one(name);
  }

  std::string legend() const {
    std::string text;
    for (const auto& [name, letter] : letters_) text += fmt::format("{} {}  ", letter, printable(name));
    return text;
  }

 private:
  char free_one(const std::string& name) const {
    for (const std::string& candidates : {name, std::string("abcdefghijklmnopqrstuvwxyz0123456789")}) {
      for (const char letter : candidates) {
        const bool fits = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9');
        const auto taken = [&](const auto& entry) { return entry.second == letter; };
        if (fits && std::ranges::none_of(letters_, taken)) return letter;
      }
    }
    return '#';
  }

  std::map<std::string, char> letters_;
};

}  // namespace

std::string rank_timeline(const JobFacts& job, const TerminalStyle& style) {
  const std::vector<DrawnStep> drawn = steps_to_draw(job);
  if (drawn.empty()) return {};
  std::int64_t begin_ns = INT64_MAX, end_ns = INT64_MIN;
  for (const auto& [rank, step] : drawn) {
    begin_ns = std::min(begin_ns, job.clocks.to_first(rank, step->begin_ns));
    end_ns = std::max(end_ns, job.clocks.to_first(rank, step->end_ns));
  }
  const int width = style.width - kRankColumns - 1;
  const double span_ns = std::max(1.0, static_cast<double>(end_ns - begin_ns));
  const auto column = [&](std::int64_t ns) {
    return std::clamp(static_cast<int>(static_cast<double>(ns - begin_ns) / span_ns * width), 0, width - 1);
  };
  Letters letters;
  std::string rows;
  for (const auto& [rank, step] : drawn) {
    std::string row(static_cast<std::size_t>(width), ' ');
    const auto fill = [&, rank = rank](std::int64_t from_ns, std::int64_t to_ns, char letter) {
      const int from = column(job.clocks.to_first(rank, from_ns));
      const int to = std::max(from + 1, column(job.clocks.to_first(rank, to_ns)));
      std::fill(row.begin() + from, row.begin() + std::min(to, width), letter);
    };
    fill(step->begin_ns, step->end_ns, '-');
    if (step->wait) fill(step->wait->begin_ns, step->wait->end_ns, '.');
    for (const RankPhase& phase : step->phases) {
      fill(phase.begin_ns, phase.end_ns, letters.of(job.ranks[rank].names[phase.name]));
      if (phase.waited_ns > 0) fill(phase.end_ns - phase.waited_ns, phase.end_ns, '.');
    }
    rows += fmt::format("{:>6}  {}\n", job.ranks[rank].rank, row.substr(0, row.find_last_not_of(' ') + 1));
  }
  return style.heading(fmt::format("Step {} of all ranks on one clock, {} from edge to edge", job.shown_step,
                                   duration(span_ns))) +
         '\n' + rows +
         style.dimmed(wrapped(letters.legend() + ". waits for others  - in no phase", 2, style.width));
}

}  // namespace strata::report
