// SPDX-License-Identifier: Apache-2.0
#include "host/export/trace/chrome.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/analyse.hpp"
#include "host/export/text.hpp"

namespace strata::exports {
namespace {

using analysis::JobFacts;

std::int64_t origin_of(const JobFacts& job) {
  std::int64_t origin_ns = INT64_MAX;
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank)
    origin_ns = std::min(origin_ns, job.clocks.to_first(rank, job.ranks[rank].begin_ns));
  return origin_ns;
}

std::string clocks_text(const JobFacts& job) {
  std::string text;
  for (const analysis::JobClock& clock : job.clocks.clocks()) {
    text += fmt::format(R"({}{{"hostname":{},"correction_ns":{},"uncertainty_ns":{}}})",
                        text.empty() ? "" : ",", json_text(clock.hostname), clock.correction_ns,
                        clock.uncertainty_ns ? fmt::format("{}", *clock.uncertainty_ns) : "null");
  }
  return '[' + text + ']';
}

std::string lost_text(const JobFacts& job) {
  std::string text;
  for (const analysis::LostRank& lost : job.lost)
    text += fmt::format(R"({}{{"rank":{},"reason":{}}})", text.empty() ? "" : ",", lost.rank,
                        json_text(lost.reason));
  return '[' + text + ']';
}

}  // namespace

void write_chrome_ranks(const JobFacts& job, Output& output, const Progress& progress) {
  const std::int64_t origin_ns = origin_of(job);
  output.write(fmt::format(
      R"({{"schemaVersion":1,"displayTimeUnit":"ns","otherData":{{"run":{},"directory":{},"world_size":{},)"
      R"("clocks":{},"lost":{}}},)"
      "\n\"traceEvents\":[\n",
      json_text(job.ranks.front().name), json_text(job.directory), job.world_size, clocks_text(job),
      lost_text(job)));
  for (std::size_t index = 0; index < job.ranks.size(); ++index) {
    const analysis::RankFacts& rank = job.ranks[index];
    const RankInTrace place{
        .rank = rank.rank,
        .name = fmt::format("rank {} on {}{}", rank.rank, rank.device,
                            rank.clock.hostname.empty() ? "" : " of " + rank.clock.hostname),
        .origin_ns = origin_ns,
        .to_common = [&](std::int64_t ns) { return job.clocks.to_first(index, ns); }};
    write_chrome_rank(analysis::analyse(job.directory, rank.rank), place, index == 0, output, progress);
  }
  output.write("\n]}\n");
}

}  // namespace strata::exports
