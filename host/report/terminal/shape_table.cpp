// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::report {
namespace {

using analysis::MemoryFacts;
using analysis::Shape;

constexpr int kIndent = 4, kTitleColumns = 22, kStepColumns = 18;

std::string said_step(const Shape& shape) {
  if (shape.step < 0) return "before";
  return shape.count > 1 ? fmt::format("{} and {} more", shape.step, shape.count - 1)
                         : fmt::format("{}", shape.step);
}

std::string moment_of(const MemoryFacts& facts, const Shape& shape) {
  const auto step = std::ranges::find(facts.steps, shape.step, &analysis::StepFact::index);
  const std::int64_t begin_ns = step == facts.steps.end() ? facts.begin_ns : step->begin_ns;
  return duration(static_cast<double>(std::max<std::int64_t>(shape.at_ns - begin_ns, 0)));
}

std::string shape_rows(const MemoryFacts& facts, const Shape& shape, int decimals,
                       const TerminalStyle& style) {
  const int layer_columns = std::max(style.width - 1 - kTitleColumns - 12 - 2 - kStepColumns - 12 - 2, 8);
  const auto amount = [&](std::uint64_t bytes) { return mebibytes(static_cast<double>(bytes), decimals); };
  const std::string row =
      fmt::format("{}{:>12}  {}{:>10}  {}", fitted(name_of(shape.kind).title, kTitleColumns),
                  amount(shape.bytes), fitted(said_step(shape), kStepColumns), moment_of(facts, shape),
                  shortened(printable(shape.layer), layer_columns));
  std::string text = style.heading(row.substr(0, row.find_last_not_of(' ') + 1)) + '\n';
  const ShapeWords words = words_of(shape, framework_of(facts));
  text += wrapped(words.sentence, kIndent, style.width);
  text += style.dimmed(wrapped("To change it: " + words.remedy + '.', kIndent, style.width));
  return text;
}

}  // namespace

std::string shape_table(const MemoryFacts& facts, const std::vector<Shape>& shapes, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  if (shapes.empty())
    return wrapped(
        "No shape was found: rules need complete steps in the window, with phases, modules and operators.", 0,
        style.width);
  std::uint64_t most = 0;
  for (const Shape& shape : shapes) most = std::max(most, shape.bytes);
  std::string text = style.heading(fmt::format("{:<{}}{:>12}  {:<{}}{:>10}  {}", "Shape", kTitleColumns,
                                               "MiB", "in step", kStepColumns, "at", "module")) +
                     '\n';
  for (const Shape& shape : shapes)
    text += shape_rows(facts, shape, decimals_for(static_cast<double>(most)), style);
  return text +
         style.dimmed(wrapped(fmt::format("In step: the one it is shown for, and how many more of the window "
                                          "have it. At: since that step's begin{}.",
                                          facts.dry ? ", by the host's clock alone" : ""),
                              2, style.width));
}

}  // namespace strata::report
