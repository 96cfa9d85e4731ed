// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/static_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/timeline.hpp"

namespace strata::report {
namespace {

constexpr std::size_t kWidth = 600, kHeight = 160;

// The category's name as style sheets have it: "optimizer-state".
std::string slug_of(analysis::Category category) {
  std::string slug(to_string(category));
  for (char& letter : slug)
    letter =
        letter == '_' ? '-' : static_cast<char>(letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter);
  return slug;
}

}  // namespace

std::string static_timeline(const analysis::MemoryFacts& facts) {
  if (facts.points.empty()) return {};
  const RunTime time = run_time(facts);
  const std::vector<analysis::Point> states =
      largest_by_column(facts.points, analysis::Point{}, {time.begin_ns, time.end_ns, kWidth});
  std::uint64_t most = 1;
  for (const analysis::Point& state : states) most = std::max(most, analysis::sum(state.bytes));
  const auto x = [&](std::int64_t ns) {
    return static_cast<double>(ns - time.begin_ns) / static_cast<double>(time.end_ns - time.begin_ns) *
           kWidth;
  };
  const auto y = [&](std::uint64_t bytes) {
    return (1.0 - static_cast<double>(bytes) / static_cast<double>(most)) * kHeight;
  };

  std::string svg = fmt::format(
      R"(<svg class="static-timeline" viewBox="0 0 {} {}" role="img" aria-label="Memory over the run: {} MiB at most, {} in all">)",
      kWidth, kHeight, mebibytes(static_cast<double>(most), 1),
      duration(static_cast<double>(time.end_ns - time.begin_ns)));
  std::vector<std::uint64_t> below(states.size(), 0);
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    std::string there, back;
    for (std::size_t i = 0; i < states.size(); ++i) {
      const double from = x(states[i].ns), to = i + 1 < states.size() ? x(states[i + 1].ns) : kWidth;
      const double bottom = y(below[i]);
      below[i] += states[i].bytes[category];
      const double top = y(below[i]);
      fmt::format_to(std::back_inserter(there), "{}{:.1f} {:.1f}H{:.1f}", i == 0 ? 'M' : 'L', from, top, to);
      back.insert(0, fmt::format("L{:.1f} {:.1f}H{:.1f}", to, bottom, from));
    }
    svg += fmt::format(R"(<path class="stratum {}" d="{}{}Z"/>)",
                       slug_of(static_cast<analysis::Category>(category)), there, back);
  }
  return svg + "</svg>";
}

}  // namespace strata::report
