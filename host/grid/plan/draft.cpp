// SPDX-License-Identifier: Apache-2.0
#include "host/grid/plan/draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "host/config/reading/document.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::grid {
namespace {

// More combinations would take too long, even if most of them are excluded.
constexpr std::size_t kMostCombinations = 1'000'000;

class Drafter {
 public:
  explicit Drafter(const GridFile& grid) : grid_(grid) {
    for (const Rule& rule : grid.exclude) drafts_.excluded.push_back({rule.text, rule.place, 0});
  }

  Drafts draft() {
    require_combinations();
    // If a grid has only included cells, there are no others.
    if (!grid_.axes.empty() || grid_.include.empty()) product(0, {}, grid_.base);
    for (const Point& point : grid_.include) {
      config::Written written = grid_.base;
      for (const Assignment& each : point.assignments) written.put(each.path, each.value);
      repeat(overridden({{kIncludeAxis, point.label}}, std::move(written)));
    }
    return std::move(drafts_);
  }

 private:
  [[noreturn]] void refuse(std::string message) const {
    throw config::ConfigError({{grid_.base.file, "limits.max_cells", std::move(message)}});
  }

  void require_combinations() const {
    std::size_t count = 1;
    for (const Axis& axis : grid_.axes) {
      count *= std::max<std::size_t>(axis.points.size(), 1);
      if (count > kMostCombinations)
        refuse(fmt::format("the axes have more than {} combinations; remove values", kMostCombinations));
    }
  }

  void product(std::size_t axis, std::vector<Setting> settings, const config::Written& written) {
    if (axis == grid_.axes.size()) {
      Draft draft = overridden(std::move(settings), written);
      if (!is_excluded(draft)) repeat(std::move(draft));
      return;
    }
    for (const Point& point : grid_.axes[axis].points) {
      config::Written with = written;
      for (const Assignment& each : point.assignments) with.put(each.path, each.value);
      std::vector<Setting> longer = settings;
      longer.push_back({grid_.axes[axis].name, point.label});
      product(axis + 1, std::move(longer), with);
    }
  }

  bool is_excluded(const Draft& draft) {
    const auto value_of = [&](const std::string& name) -> std::optional<std::string> {
      const auto setting = std::ranges::find(draft.settings, name, &Setting::axis);
      if (setting != draft.settings.end()) return setting->label;
      if (const auto value = draft.written.values.find(name); value != draft.written.values.end())
        return label_of(value->second.node);
      const config::Key* const key = grid_.program ? nullptr : config::find_key(name);
      if (key == nullptr || key->default_text.empty()) return std::nullopt;
      return std::string(key->default_text);
    };
    for (std::size_t rule = 0; rule < grid_.exclude.size(); ++rule) {
      if (!grid_.exclude[rule].takes(value_of)) continue;
      ++drafts_.excluded[rule].cells;
      return true;
    }
    return false;
  }

  std::int64_t first_seed(const config::Written& written) const {
    const auto value = written.values.find("seed");
    if (value == written.values.end() || !value->second.node.IsScalar()) return 0;
    return config::parse_integer(value->second.node.Scalar()).value_or(0);
  }

  void repeat(Draft draft) {
    std::vector<std::int64_t> seeds = grid_.options.seeds;
    if (seeds.empty() && grid_.options.repeats > 1) {
      for (std::int64_t index = 0; index < grid_.options.repeats; ++index)
        seeds.push_back(first_seed(draft.written) + index);
    }
    if (seeds.empty()) return add(std::move(draft));
    for (const std::int64_t seed : seeds) {
      Draft with = draft;
      with.written.put("seed",
                       {config::parse_value(fmt::format("{}", seed)), draft.written.place_of("seed")});
      with.settings.push_back({kSeedAxis, fmt::format("{}", seed)});
      add(std::move(with));
    }
  }

  // Command line values override everything in the file, except the seeds of repeats: these count up from the
  // given seed, and a list of seeds is not allowed with `seed=` (grid_file.cpp).
  Draft overridden(std::vector<Setting> settings, config::Written written) const {
    Draft draft{.settings = std::move(settings), .written = std::move(written), .problems = {}};
    for (const std::string& each : grid_.overrides) {
      if (grid_.program)
        override_name(each, draft);
      else
        config::read_override(each, draft.written, draft.problems);
    }
    return draft;
  }

  // A value of a program's name, whose form grid_file.cpp has checked.
  void override_name(const std::string& text, Draft& draft) const {
    const config::Place place{
        .source = fmt::format("command line: {}", text), .line = 0, .column = 0, .command_line = true};
    const auto equals = text.find('=');
    const std::string name = text.substr(0, equals);
    if (grid_.names.has(name))
      draft.written.put(name, {config::parse_value(text.substr(equals + 1)), place});
    else
      draft.problems.push_back({place, name, grid_.names.unknown(name)});
  }

  void add(Draft draft) {
    const std::uint64_t most = grid_.options.limits.max_cells;
    if (drafts_.cells.size() >= most)
      refuse(fmt::format("the grid has more than {} cells; remove values, or raise limits.max_cells", most));
    drafts_.cells.push_back(std::move(draft));
  }

  const GridFile& grid_;
  Drafts drafts_;
};

}  // namespace

std::string Draft::text() const {
  std::string all;
  for (const Setting& each : settings)
    all += fmt::format("{}{}={}", all.empty() ? "" : " ", each.axis, each.label);
  return all;
}

Drafts draft_cells(const GridFile& grid) {
  return Drafter(grid).draft();
}

}  // namespace strata::grid
