// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/ranks_page.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "host/report/quantity.hpp"
#include "host/report/ranks/page_pictures.hpp"
#include "host/report/ranks/rank_findings.hpp"

namespace strata::report {
namespace {

using analysis::JobFacts;
using analysis::RankFacts;

constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --ink: #18202c; --muted: #546072; --rule: #dfe4ec; --ground: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6ebf3; --muted: #9aa7ba; --rule: #333d4c; --ground: #11161e; } }
body { font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--ground); margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; margin: 0 } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem }
p, li { color: var(--muted); margin: .3rem 0 } li { color: var(--ink) } ul { padding-left: 1.2rem }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .25rem .9rem .25rem 0; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap }
th.text, td.text { text-align: left } a { color: inherit }
svg text { font: 11px system-ui, sans-serif; fill: var(--ink) }
.key { margin-right: .8rem } .key i { display: inline-block; width: .8em; height: .8em; margin-right: .35em }
.lost { color: #a3202f; font-weight: 600 } @media (prefers-color-scheme: dark) { .lost { color: #ff8a94 } }
)";

std::string page_section(std::string_view heading, const std::string& html) {
  return html.empty() ? "" : fmt::format("<h2>{}</h2>\n{}", heading, html);
}

std::string finding_list(const std::vector<std::string>& sentences, std::string_view kind = "") {
  if (sentences.empty()) return {};
  std::string html = "<ul>\n";
  for (const std::string& sentence : sentences)
    html += fmt::format("<li{}>{}</li>\n", kind.empty() ? "" : fmt::format(" class=\"{}\"", kind),
                        html_text(sentence));
  return html + "</ul>\n";
}

std::string ranks_page_row(const JobFacts& job, std::size_t index) {
  const RankFacts& rank = job.ranks[index];
  const auto amount = [](std::uint64_t bytes) { return mebibytes(static_cast<double>(bytes), 3); };
  std::string html = fmt::format(
      "<tr><td class=\"text\"><a href=\"{}report.html\">rank {}</a></td><td class=\"text\">{}</td>"
      "<td class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
      rank.rank == 0 ? "" : fmt::format("rank{}/", rank.rank), rank.rank, html_text(rank.clock.hostname),
      html_text(rank.device), html_text(rank.end), amount(rank.peak_allocated_bytes),
      amount(rank.peak_reserved_bytes), rank.median_step_ns ? duration(*rank.median_step_ns) : "–",
      rank.is_dry ? "–" : duration(static_cast<double>(job.stragglers.waits_ns[index])));
  for (const std::uint64_t bytes : rank.peak_categories) html += fmt::format("<td>{}</td>", amount(bytes));
  return html + "</tr>\n";
}

std::string ranks_page_table(const JobFacts& job) {
  std::string html =
      "<div class=\"wide\"><table><thead><tr><th class=\"text\">rank</th><th class=\"text\">machine</th>"
      "<th class=\"text\">device</th><th>ended</th><th>peak allocated</th><th>reserved</th>"
      "<th>median step</th><th>waits</th>";
  for (std::size_t category = 0; category < analysis::kCategories; ++category)
    html += fmt::format("<th>{}</th>", to_string(static_cast<analysis::Category>(category)));
  html += "</tr></thead><tbody>\n";
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) html += ranks_page_row(job, rank);
  return html +
         "</tbody></table></div>\n<p>MiB (2^20 bytes); categories at the rank's own peak. Waits: of a "
         "step, for other ranks, as far as phases show it.</p>\n";
}

}  // namespace

std::string ranks_page(const JobFacts& job) {
  const std::string title = fmt::format("{}: {}", job.ranks.front().name, job_size(job));
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
             "content=\"width=device-width\"><title>{0}</title><style>{1}</style></head><body>\n<h1>{0}</"
             "h1>\n",
             html_text(title), kStyle) +
         finding_list(lost_sentences(job), "lost") +
         page_section("Who is slow", finding_list(straggler_sentences(job))) + slowness_picture(job) +
         page_section("One step, all ranks", step_picture(job)) +
         page_section("How memory differs", finding_list(imbalance_sentences(job))) +
         category_bars_picture(job) + page_section("Ranks", ranks_page_table(job)) +
         page_section("Clocks", finding_list(clock_sentences(job))) + "</body></html>\n";
}

}  // namespace strata::report
