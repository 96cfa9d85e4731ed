// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_report.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "host/report/ranks/rank_findings.hpp"
#include "host/report/ranks/rank_table.hpp"
#include "host/report/ranks/rank_timeline.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

std::string finding_section(std::string_view heading, const std::vector<std::string>& sentences,
                            const TerminalStyle& style) {
  if (sentences.empty()) return {};
  std::string text = '\n' + style.heading(heading) + '\n';
  for (const std::string& sentence : sentences) text += wrapped(sentence, 2, style.width);
  return text;
}

}  // namespace

std::string rank_report(const analysis::JobFacts& job, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  std::string text = style.heading("Ranks: " + job_size(job)) + '\n' + rank_table(job, style);
  for (const std::string& sentence : lost_sentences(job))
    text += style.alarming(wrapped(sentence, 2, style.width));
  text += '\n' + rank_categories(job, style);
  text += finding_section("Who is slow", straggler_sentences(job), style);
  text += finding_section("How memory differs", imbalance_sentences(job), style);
  text += finding_section("Clocks", clock_sentences(job), style);
  if (const std::string timeline = rank_timeline(job, style); !timeline.empty()) text += '\n' + timeline;
  return text;
}

}  // namespace strata::report
