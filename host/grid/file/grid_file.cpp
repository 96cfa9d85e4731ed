// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/grid_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/config/checks/checks.hpp"
#include "host/config/files/paths.hpp"
#include "host/config/nearest.hpp"
#include "host/config/problem.hpp"
#include "host/config/reading/document.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/schema/schema.hpp"
#include "host/config/schema/written.hpp"
#include "host/grid/file/assignment.hpp"
#include "host/grid/file/include.hpp"

namespace strata::grid {
namespace {

// The common settings of a grid's cells: `base`.

// The shortest form: relative if it is below the current folder.
std::string shown_name(const std::filesystem::path& file) {
  const std::string shown = file.lexically_proximate(std::filesystem::current_path()).string();
  return shown.starts_with("..") ? file.string() : shown;
}

void read_base_file(const config::WrittenValue& name, config::Written& base,
                    std::vector<config::Problem>& problems) {
  try {
    const std::string named = config::expand_variables(name.node.Scalar());
    std::filesystem::path file = (name.place.folder() / named).lexically_normal();
    if (!std::filesystem::exists(file)) {
      if (std::filesystem::path shipped = config::shipped_file(named); shipped != named) file = shipped;
    }
    const std::string source = shown_name(file);
    config::read_file_keys(config::parse_document(config::read_text(file), source), source, base, problems);
  } catch (const config::ConfigError& error) {
    for (const config::Problem& each : error.problems()) {
      // An error without a line concerns the whole file: report it where the file is named.
      problems.push_back(
          each.place.line > 0
              ? each
              : config::Problem{name.place, "base", fmt::format("{}: {}", each.place.source, each.message)});
    }
  } catch (const std::invalid_argument& error) {
    problems.push_back({name.place, "base", error.what()});
  }
}

void read_one_base(const config::WrittenValue& value, config::Written& base,
                   std::vector<config::Problem>& problems) {
  if (value.node.IsMap()) {
    for (const Assignment& each : read_assignments(value, "", Names(), problems))
      base.put(each.path, each.value);
  } else if (value.node.IsScalar() && !value.node.Scalar().empty()) {
    read_base_file(value, base, problems);
  } else {
    problems.push_back({value.place, "base",
                        fmt::format("expected a run's YAML file or a mapping of its keys, found {}",
                                    config::describe(value.node))});
  }
}

// A run's YAML file, a mapping of its keys, or a list of these: later ones override earlier ones, key by key.
void read_base(const config::WrittenValue& value, config::Written& base,
               std::vector<config::Problem>& problems) {
  if (!value.node.IsSequence()) return read_one_base(value, base, problems);
  for (const YAML::Node& element : value.node)
    read_one_base({element, config::place_of(element, value.place)}, base, problems);
}

using config::WrittenValue;

constexpr std::array<std::string_view, 16> kTopKeys{
    "grid",  "name",   "base",   "set",     "axes",   "exclude", "include", "repeats",
    "seeds", "limits", "engine", "plugins", "device", "program", "world",   "ranks"};
constexpr std::array<std::string_view, 2> kProgramKeys{"world", "ranks"};

// Folder names as `name` of a run has them.
bool names_folder(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= 80 && text[0] != '.' && text[0] != '-' &&
         std::ranges::all_of(text, allowed);
}

class GridReader {
 public:
  GridReader(const std::filesystem::path& file, std::vector<config::Problem>& problems)
      : source_(file.string()), problems_(problems) {
    grid_.file = std::filesystem::absolute(file);
    grid_.name = config::default_name(file);
    grid_.base.file = {.source = source_};
  }

  GridFile read(const YAML::Node& root, std::span<const std::string> overrides) {
    if (is_of_run(root)) {  // a single problem is clearer than one per key
      throw config::ConfigError({{{.source = source_},
                                  "grid",
                                  fmt::format("is required; without it this file describes a run: strata run "
                                              "{}; a grid over this run contains `grid: 1` and `base: {}`",
                                              source_, std::filesystem::path(source_).filename().string())}});
    }
    read_top(root);
    version();
    read_program();
    if (const auto* const value = find("base")) read_base(*value, grid_.base, problems_);
    grid_.base.file = {.source = source_};
    if (const auto* const value = find("set")) set(*value);
    for (const char* const key : {"plugins", "device"}) {
      if (const auto* const value = find(key)) grid_.base.put(key, *value);
    }
    for (const std::string_view key : kProgramKeys) {
      const auto* const value = find(std::string(key));
      if (value != nullptr && grid_.program) grid_.base.put(std::string(key), *value);
    }
    if (!grid_.base.values.contains("plugins") && !find("program")) {
      grid_.base.put("plugins", {config::parse_value("[allocator_tracer]"), grid_.base.file});
      grid_.notes.emplace_back("`plugins` is not set: cells use allocator_tracer, because peaks need it");
    }
    if (const auto* const value = find("axes")) axes(*value);
    for (const char* const section : {"limits", "engine"}) section_options(section);
    for (const char* const key : {"repeats", "seeds"}) {
      if (const auto* const value = find(key)) put_option(key, *value);
    }
    for (const std::string& each : overrides) override_with(each);
    if (const auto* const value = find("name")) name(*value);
    if (const auto* const value = find("exclude")) exclude(*value);
    if (const auto* const value = find("include"))
      grid_.include = read_include(*value, grid_.names, problems_);
    grid_.options = read_options(options_, problems_);
    check_axes();
    return std::move(grid_);
  }

 private:
  const WrittenValue* find(const std::string& key) const {
    const auto found = top_.find(key);
    return found == top_.end() ? nullptr : &found->second;
  }

  // Without `grid`, and with a key that no grid has.
  static bool is_of_run(const YAML::Node& root) {
    bool has_key_of_run = false;
    for (const auto& entry : root) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      if (key == "grid") return false;
      has_key_of_run |= std::ranges::find(kTopKeys, key) == kTopKeys.end() && is_key_of_run(key);
    }
    return has_key_of_run;
  }

  static bool is_key_of_run(const std::string& key) {
    return config::find_key(key) != nullptr || config::find_section(key) != nullptr;
  }

  void read_top(const YAML::Node& root) {
    const config::Place start{.source = source_, .line = 1, .column = 1};
    for (const auto& entry : root) {
      const config::Place place = config::place_of(entry.first, start);
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      if (std::ranges::find(kTopKeys, key) == kTopKeys.end()) {
        problem(place, key, unknown_top(key));
        continue;
      }
      const WrittenValue value{entry.second, config::place_of(entry.second, place)};
      if (!top_.emplace(key, value).second) problem(place, key, "written twice");
    }
  }

  static std::string unknown_top(const std::string& key) {
    if (is_key_of_run(key)) return fmt::format("is a key of a run; in a grid, put it under `set` or `axes`");
    return fmt::format("unknown key of a grid{}; expected one of {}", config::did_you_mean(key, kTopKeys),
                       fmt::join(kTopKeys, ", "));
  }

  void version() {
    const auto* const value = find("grid");
    if (value == nullptr) {
      problem({.source = source_}, "grid", "is required: `grid: 1` says that this file is a grid, not a run");
    } else if (!value->node.IsScalar() || value->node.Scalar() != "1") {
      problem(value->place, "grid", fmt::format("expected 1, found {}", config::describe(value->node)));
    }
  }

  void read_program() {
    const auto* const value = find("program");
    if (value == nullptr) {
      for (const std::string_view key : kProgramKeys) {
        if (const auto* const of_program = find(std::string(key)))
          problem(of_program->place, std::string(key),
                  "is for a grid over a `program`; a run has world_size");
      }
      return;
    }
    if (const auto* const base = find("base"))
      problem(base->place, "base",
              "has keys of a run, but the cells of this grid run a `program`; remove one");
    grid_.program = grid::read_program(*value, problems_);
    if (grid_.program) grid_.names = Names(grid_.program->placeholders());
  }

  void name(const WrittenValue& value) {
    if (!value.node.IsScalar() || !names_folder(value.node.Scalar()))
      return problem(value.place, "name",
                     fmt::format("expected a name of letters, digits, '.', '_' and '-', found {}",
                                 config::describe(value.node)));
    grid_.name = value.node.Scalar();
  }

  void put(const Assignments& assignments) {
    for (const Assignment& each : assignments) grid_.base.put(each.path, each.value);
  }

  void set(const WrittenValue& value) {
    if (value.node.IsNull()) return;
    if (!value.node.IsMap())
      return problem(value.place, "set",
                     fmt::format("expected a mapping of keys, found {}", config::describe(value.node)));
    Assignments single;
    for (const Assignment& each : read_assignments(value, "", grid_.names, problems_)) {
      if (each.value.node.IsSequence() && !grid_.names.takes_list(each.path)) {
        problem(each.value.place, each.path,
                "expected one value, found a list; put lists of values under `axes`");
      } else {
        single.push_back(each);
      }
    }
    put(single);
  }

  void axes(const WrittenValue& value) {
    if (value.node.IsNull()) return;
    if (!value.node.IsMap())
      return problem(
          value.place, "axes",
          fmt::format("expected a mapping of keys to their values, found {}", config::describe(value.node)));
    for (const auto& entry : value.node) {
      const config::Place place = config::place_of(entry.first, value.place);
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      if (has_axis(key))
        problem(place, key, "is given as an axis twice");
      else
        grid_.axes.push_back(
            read_axis(key, {entry.second, config::place_of(entry.second, place)}, grid_.names, problems_));
    }
  }

  bool has_axis(const std::string& axis) const {
    return std::ranges::find(grid_.axes, axis, &Axis::name) != grid_.axes.end();
  }

  void section_options(const std::string& section) {
    const auto* const value = find(section);
    if (value == nullptr || value->node.IsNull()) return;
    if (section == "engine" && value->node.IsScalar()) return put_option("engine.kind", *value);
    if (!value->node.IsMap())
      return problem(value->place, section,
                     fmt::format("expected a mapping, found {}", config::describe(value->node)));
    for (const auto& entry : value->node) {
      const config::Place place = config::place_of(entry.first, value->place);
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      put_option(fmt::format("{}.{}", section, key), {entry.second, config::place_of(entry.second, place)});
    }
  }

  // In place of an earlier one, without assigning to its YAML node.
  void put_option(const std::string& path, const WrittenValue& value) {
    options_.erase(path);
    options_.emplace(path, value);
  }

  void override_with(const std::string& text) {
    const config::Place place{
        .source = fmt::format("command line: {}", text), .line = 0, .column = 0, .command_line = true};
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return problem(place, "", "expected key.path=value, such as optimizer.lr=1e-3");
    const std::string path = text.substr(0, equals);
    YAML::Node node;
    try {
      node.reset(config::parse_value(text.substr(equals + 1)));
    } catch (const YAML::Exception& error) {
      return problem(place, path, fmt::format("the value is not valid YAML: {}", error.msg));
    }
    const WrittenValue value{node, place};
    if (is_option(path)) return put_option(path, value);
    if (path == "name") {
      top_.erase("name");
      top_.emplace("name", value);
      return;
    }
    if (path == "seed") options_.erase("seeds");
    const auto axis = std::ranges::find(grid_.axes, path, &Axis::name);
    const bool is_list = node.IsSequence() && !grid_.names.takes_list(path) && grid_.names.has(path);
    if (is_list) {
      Axis swept = read_axis(path, value, grid_.names, problems_);
      if (axis != grid_.axes.end())
        *axis = std::move(swept);
      else
        grid_.axes.push_back(std::move(swept));
      return;
    }
    if (axis != grid_.axes.end()) grid_.axes.erase(axis);
    grid_.overrides.push_back(text);
  }

  void exclude(const WrittenValue& value) {
    if (value.node.IsNull()) return;
    if (!value.node.IsSequence())
      return problem(value.place, "exclude",
                     fmt::format("expected a list of mappings, found {}", config::describe(value.node)));
    std::vector<std::string> names;
    names.reserve(grid_.axes.size());
    for (const Axis& axis : grid_.axes) names.push_back(axis.name);
    for (const YAML::Node& element : value.node)
      grid_.exclude.push_back(
          read_rule({element, config::place_of(element, value.place)}, names, grid_.names, problems_));
  }

  void check_axes() {
    const bool has_seeds = options_.contains("repeats") || options_.contains("seeds");
    for (const Axis& axis : grid_.axes) {
      if (axis.name == "seed" && has_seeds)
        problem(axis.place, "seed", "cannot be an axis together with repeats or seeds");
    }
    for (const std::string& name : grid_.options.limits.skip_dominated) {
      if (has_axis(name)) continue;
      const WrittenValue& value = options_.at("limits.skip_dominated");
      problem(value.place, "limits.skip_dominated", fmt::format("'{}' is not an axis of this grid", name));
    }
  }

  void problem(const config::Place& place, const std::string& key, std::string message) {
    problems_.push_back({place, key, std::move(message)});
  }

  std::string source_;
  std::vector<config::Problem>& problems_;
  GridFile grid_;
  std::map<std::string, WrittenValue> top_;
  std::map<std::string, WrittenValue> options_;
};

}  // namespace

GridFile read_grid(std::string_view text, const std::filesystem::path& file,
                   std::span<const std::string> overrides) {
  std::vector<config::Problem> problems;
  GridFile grid = GridReader(file, problems).read(config::parse_document(text, file.string()), overrides);
  config::sort_problems(problems);
  grid.problems = std::move(problems);
  return grid;
}

GridFile load_grid(const std::filesystem::path& file, std::span<const std::string> overrides) {
  const std::filesystem::path found = config::shipped_file(file);
  return read_grid(config::read_text(found), found, overrides);
}

}  // namespace strata::grid
