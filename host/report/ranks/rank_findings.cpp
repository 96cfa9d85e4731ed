// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_findings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/report/quantity.hpp"
#include "host/report/ranks/rank_choice.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::JobFacts;

constexpr std::size_t kMostListed = 5;
constexpr int kMostColumnsOfNumbers = 400;
// Below this, ranks are said to be alike.
constexpr double kAlikeShare = 0.005;

std::string signed_time(std::int64_t ns) {
  return (ns < 0 ? "-" : "+") + duration(std::abs(static_cast<double>(ns)));
}

// Missing ranks are the main information: lists every number that fits on a line.
std::string all_named(const std::vector<std::uint64_t>& numbers) {
  const std::string text = ranges_text(numbers);
  return columns(text) <= kMostColumnsOfNumbers
             ? text
             : shortened(text, kMostColumnsOfNumbers) + " (all of them in --ranks --json)";
}

std::string one_straggler(const JobFacts& job, const analysis::Straggler& straggler) {
  std::string text = fmt::format(
      "rank {} is slowest in {} of {} ({}), by {} at the median", job.ranks[straggler.rank].rank,
      straggler.steps.size(), counted(job.stragglers.steps.size(), "step", "steps"),
      shortened(ranges_text(straggler.steps), 30), duration(static_cast<double>(straggler.median_ns)));
  std::vector<std::string> phases;
  for (const analysis::SlowPhase& phase : straggler.phases) {
    if (phases.size() == 2 || phase.total_ns * 10 < straggler.total_ns) break;
    phases.push_back(fmt::format(
        "{} {} a step", phase.name.empty() ? "between phases" : shortened(printable(phase.name), 24),
        signed_time(phase.total_ns / static_cast<std::int64_t>(straggler.steps.size()))));
  }
  if (!phases.empty()) text += fmt::format(": {} in the mean", fmt::join(phases, ", "));
  if (job.ranks[straggler.rank].is_dry) text += "; the host's time, beside a card that is not there";
  return text;
}

std::string share_text(const analysis::ShareDifference& share, int decimals) {
  return fmt::format("{} {} / {}{}", signed_mebibytes(static_cast<double>(share.bytes), decimals),
                     to_string(share.category), share.kind,
                     share.layer.empty() ? "" : " in " + shortened(printable(share.layer), 32));
}

std::string numbers_of(const JobFacts& job, const analysis::JobClock& clock) {
  std::vector<std::uint64_t> numbers;
  numbers.reserve(clock.ranks.size());
  for (const std::size_t rank : clock.ranks) numbers.push_back(job.ranks[rank].rank);
  return fmt::format("{} {}", numbers.size() == 1 ? "rank" : "ranks", shortened(ranges_text(numbers), 40));
}

// Why steps do not show how well wall clocks agree.
const char* unchecked_because(analysis::Averaging averaging) {
  switch (averaging) {
    case analysis::Averaging::kOnDevices:
      return "hosts do not wait while CUDA devices average, so no step can check them";
    case analysis::Averaging::kNotShown:
      return "nothing shows that all ranks average with all others, so no step can check them";
    case analysis::Averaging::kOnHosts:
      break;
  }
  return "the steps contradict each other, so none can check them";
}

// How a clock's times came onto the first one, and how far they may be off.
std::string placing_text(const analysis::JobClock& clock, analysis::Averaging averaging) {
  const std::string known =
      clock.uncertainty_ns ? fmt::format("known to ±{}", duration(static_cast<double>(*clock.uncertainty_ns)))
                           : fmt::format("off by nobody knows how much: {}", unchecked_because(averaging));
  switch (clock.placed_by) {
    case analysis::PlacedBy::kWallClocks:
      return fmt::format("by the wall clocks, {}{}", known,
                         clock.uncertainty_ns ? ", as averaged gradients show" : "");
    case analysis::PlacedBy::kAveraging:
      if (clock.wall_clocks_apart_ns == 0)
        return fmt::format("no wall clock was recorded; by averaged gradients, {}", known);
      return fmt::format("its wall clock is off by {} at least, as averaged gradients show; moved by {}, {}",
                         duration(static_cast<double>(clock.wall_clocks_apart_ns)),
                         signed_time(clock.correction_ns), known);
    case analysis::PlacedBy::kSelf:
    case analysis::PlacedBy::kNothing:
      break;
  }
  return "no wall clock was recorded, and no step tells: its times cannot be placed";
}

// Usually of a checkpoint that every rank loads to the first card, or of calls before set_device.
void add_other_cards(const JobFacts& job, std::vector<std::string>& sentences) {
  std::vector<std::string> all;
  for (const analysis::RankFacts& rank : job.ranks)
    for (const analysis::OtherMemory& card : rank.other_cards)
      all.push_back(fmt::format("rank {}, on {}, has up to {} on {} as well", rank.rank, rank.device,
                                in_mib(card.peak_allocated_bytes), card.device));
  const std::size_t listed = std::min(all.size(), kMostListed);
  sentences.insert(sentences.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(listed));
  if (all.size() > kMostListed)
    sentences.push_back(
        fmt::format("and {} more on other cards, in --ranks --json", all.size() - kMostListed));
  if (!all.empty())
    sentences.emplace_back(
        "to keep a rank on its card: torch.cuda.set_device before any other call, and "
        "torch.load(map_location=...)");
}

std::vector<std::string> peak_sentences(const JobFacts& job) {
  const analysis::Imbalance& imbalance = job.imbalance;
  const auto& heaviest = job.ranks[imbalance.heaviest];
  const auto peak = static_cast<double>(heaviest.peak_allocated_bytes);
  const int decimals = decimals_for(peak);
  const auto spread = static_cast<double>(imbalance.spread_bytes);
  if (spread <= kAlikeShare * peak)
    return {fmt::format("peaks are alike: {} MiB between the highest and the lowest",
                        mebibytes(spread, decimals))};
  std::vector<std::string> sentences{fmt::format(
      "rank {} has the highest peak, {} MiB, and rank {} the lowest, {} less", heaviest.rank,
      mebibytes(peak, decimals), job.ranks[imbalance.lightest].rank, mebibytes(spread, decimals))};
  std::vector<std::string> shares;
  for (const analysis::ShareDifference& share : imbalance.shares) {
    if (shares.size() == kMostListed) break;
    shares.push_back(share_text(share, decimals));
  }
  if (!shares.empty())
    sentences.push_back(fmt::format("against rank {}, the middle one, it has {}",
                                    job.ranks[imbalance.typical].rank, fmt::join(shares, "; ")));
  return sentences;
}

}  // namespace

std::vector<std::string> lost_sentences(const JobFacts& job) {
  std::vector<std::string> sentences;
  std::vector<std::uint64_t> silent, others;
  for (const analysis::LostRank& lost : job.lost) {
    if (lost.reason == analysis::kLeftNothing) {
      silent.push_back(lost.rank);
    } else if (sentences.size() < kMostListed) {
      sentences.push_back(fmt::format("rank {} cannot be read: {}", lost.rank, printable(lost.reason)));
    } else {
      others.push_back(lost.rank);
    }
  }
  if (!others.empty())
    sentences.push_back(fmt::format("{} more cannot be read: {}", counted(others.size(), "rank", "ranks"),
                                    all_named(others)));
  if (!silent.empty())
    sentences.push_back(fmt::format("{} of {} left nothing in this folder: {}",
                                    counted(silent.size(), "rank", "ranks"), job.world_size,
                                    all_named(silent)));
  return sentences;
}

std::vector<std::string> straggler_sentences(const JobFacts& job) {
  if (job.ranks.size() < 2 || job.stragglers.steps.empty()) return {};
  std::vector<std::string> sentences;
  for (const analysis::Straggler& straggler : job.stragglers.ranks) {
    if (sentences.size() == kMostListed) break;
    sentences.push_back(one_straggler(job, straggler));
  }
  if (sentences.empty())
    return {
        fmt::format("in none of {} was a rank slower than the middle one by more than a tenth of the step",
                    counted(job.stragglers.steps.size(), "step", "steps"))};
  if (job.stragglers.ranks.size() > sentences.size())
    sentences.push_back(
        fmt::format("and {} more, in --ranks --json", job.stragglers.ranks.size() - sentences.size()));
  return sentences;
}

std::vector<std::string> imbalance_sentences(const JobFacts& job) {
  if (job.ranks.size() < 2) return {};
  std::vector<std::string> sentences = peak_sentences(job);
  add_other_cards(job, sentences);
  return sentences;
}

std::vector<std::string> clock_sentences(const JobFacts& job) {
  const auto& clocks = job.clocks.clocks();
  if (job.ranks.size() < 2) return {};
  if (clocks.size() == 1)
    return {fmt::format("all ranks read one clock, that of {}: nothing is corrected",
                        printable(clocks.front().hostname))};
  std::vector<std::string> sentences{fmt::format("times are on the clock of {} ({})",
                                                 printable(clocks.front().hostname),
                                                 numbers_of(job, clocks.front()))};
  for (std::size_t index = 1; index < clocks.size(); ++index) {
    const analysis::JobClock& clock = clocks[index];
    if (sentences.size() > kMostListed) {
      sentences.push_back(fmt::format("and {} more clocks, in --ranks --json", clocks.size() - index));
      break;
    }
    sentences.push_back(fmt::format("{} ({}): {}", printable(clock.hostname), numbers_of(job, clock),
                                    placing_text(clock, job.clocks.averaging())));
  }
  return sentences;
}

std::string job_size(const JobFacts& job) {
  return fmt::format("{} of {}, on {}", job.ranks.size(), counted(job.world_size, "rank", "ranks"),
                     counted(job.clocks.clocks().size(), "machine", "machines"));
}

}  // namespace strata::report
