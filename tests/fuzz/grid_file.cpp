// SPDX-License-Identifier: Apache-2.0
// Any YAML of a grid is rejected with reasons or planned: the cells differ, and each one can be loaded. A
// line "#= key=value" is an override of the command line.
#include <set>
#include <string>
#include <vector>

#include "host/config/loading/load.hpp"
#include "host/grid/file/grid_file.hpp"
#include "host/grid/plan/plan.hpp"
#include "tests/fuzz/configuration_text.hpp"
#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

// A larger grid is planned too, and takes time in proportion to its cells.
constexpr std::size_t kMostCells = 48;

std::size_t cells_of(const grid::GridFile& grid) {
  std::size_t cells = 1;
  for (const grid::Axis& axis : grid.axes) cells *= std::min(axis.points.size(), kMostCells + 1);
  const auto repeats = static_cast<std::uint64_t>(std::max<std::int64_t>(grid.options.repeats, 1));
  cells *=
      std::min<std::uint64_t>(std::max<std::uint64_t>(repeats, grid.options.seeds.size()), kMostCells + 1);
  return cells + grid.include.size();
}

void plan(const std::string& text) {
  try {
    const grid::GridFile file = grid::read_grid(text, "grid.yaml", overrides_in(text));
    if (file.axes.size() > 4 || cells_of(file) > kMostCells) return;
    const grid::Planned planned = grid::plan_grid(file);
    std::set<std::string> ids;
    for (const grid::Cell& cell : planned.plan.cells) {
      expect(ids.insert(cell.id).second, "no two cells have one id", cell.id);
      expect(config::parse_config(cell.config_yaml, "config.yaml").resolved_yaml == cell.config_yaml,
             "a cell's configuration resolves to itself", cell.config_yaml);
    }
  } catch (const config::ConfigError& error) {
    expect(!error.problems().empty(), "who refuses says why");
  }
}

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = strata::fuzz::text_of(data, size);
  if (strata::fuzz::leaves_the_folder(text)) return 0;
  strata::fuzz::stay_in_an_empty_folder();
  strata::fuzz::plan(text);
  return 0;
}
