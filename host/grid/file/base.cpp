// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/base.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "host/config/files/paths.hpp"
#include "host/config/files/shipped_file.hpp"
#include "host/config/reading/document.hpp"
#include "host/config/reading/node.hpp"
#include "host/grid/file/assignment.hpp"

namespace strata::grid {
namespace {

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
    for (const Assignment& each : read_assignments(value, "", problems)) base.put(each.path, each.value);
  } else if (value.node.IsScalar() && !value.node.Scalar().empty()) {
    read_base_file(value, base, problems);
  } else {
    problems.push_back({value.place, "base",
                        fmt::format("expected a run's YAML file or a mapping of its keys, found {}",
                                    config::describe(value.node))});
  }
}

}  // namespace

void read_base(const config::WrittenValue& value, config::Written& base,
               std::vector<config::Problem>& problems) {
  if (!value.node.IsSequence()) return read_one_base(value, base, problems);
  for (const YAML::Node& element : value.node)
    read_one_base({element, config::place_of(element, value.place)}, base, problems);
}

}  // namespace strata::grid
