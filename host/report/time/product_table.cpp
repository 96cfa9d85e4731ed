// SPDX-License-Identifier: Apache-2.0
// Matrix products: their FLOP/s, and what limits them.
#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/facts/facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"
#include "host/report/time/columns.hpp"
#include "host/report/time/time_tables.hpp"

namespace strata::report {
namespace {

using analysis::ProductTime;

std::string rate(const std::optional<double>& flop_per_second) {
  if (!flop_per_second) return "–";
  return *flop_per_second >= 1e12 ? fmt::format("{:.1f} T", *flop_per_second / 1e12)
                                  : fmt::format("{:.1f} G", *flop_per_second / 1e9);
}

}  // namespace

std::string product_shape(const analysis::ProductRow& shape) {
  std::string text = fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
  if (shape.batch > 1) text = fmt::format("{}*", shape.batch) + text;
  return shape.products > 1 ? fmt::format("{}*{}", shape.products, text) : text;
}

std::string product_table(const analysis::Facts& facts, const TimeReportOptions& options,
                          const TerminalStyle& style) {
  const analysis::TimeFacts& time = *facts.time;
  if (time.products.empty()) return {};
  const auto& peak = options.peak;
  const Milliseconds milliseconds(time.products.front().time_ns, time.steps.size());
  std::vector<std::string> headings{"Matrix products", "m x n x k", "count",
                                    "ms a step",       "FLOP/byte", "FLOP/s"};
  if (peak) headings.insert(headings.end(), {"of peak", "bound by"});
  ColumnTable table(headings);
  double flop = 0;
  std::int64_t ns = 0;
  for (const ProductTime& product : time.products) {
    flop += product.flop;
    ns += product.time_ns;
  }
  for (std::size_t index = 0; index < std::min(options.top, time.products.size()); ++index) {
    const ProductTime& product = time.products[index];
    std::vector<std::string> cells{facts.texts[product.name],
                                   product_shape(product.shape),
                                   thousands(product.count),
                                   milliseconds(product.time_ns),
                                   product.intensity() ? fmt::format("{:.1f}", *product.intensity()) : "–",
                                   rate(product.flop_per_second())};
    if (peak) {
      const auto most = product.on_device ? peak->flop_per_second(product.shape.element_bytes) : std::nullopt;
      const auto ridge = product.on_device ? peak->ridge(product.shape.element_bytes) : std::nullopt;
      cells.push_back(most && product.flop_per_second() ? percentage(*product.flop_per_second(), *most)
                                                        : "–");
      cells.emplace_back(!ridge || !product.intensity()  ? "–"
                         : *product.intensity() < *ridge ? "memory"
                                                         : "compute");
    }
    table.add(std::move(cells));
  }
  std::string text = table.text(style);
  if (ns > 0) {
    text += fmt::format("  {} of these in all, {:.3f} TFLOP a step, at {}FLOP/s\n",
                        counted(time.products.size(), "shape", "shapes"),
                        flop / 1e12 / static_cast<double>(std::max<std::size_t>(1, time.steps.size())),
                        rate(flop * 1e9 / static_cast<double>(ns)));
  }
  if (ns == 0) {
    text += wrapped(
        "A device computed these, or a dry one did not, and no kernel was recorded: they have no time.", 2,
        style.width);
  } else if (peak) {
    text += wrapped(
        fmt::format("The peak is that of {} as its maker says, without sparsity and without TF32.{}",
                    peak->card, time.modelled ? " The times are a model's, made from the same peak." : ""),
        2, style.width);
  }
  return text;
}

}  // namespace strata::report
