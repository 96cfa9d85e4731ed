// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "host/config/nearest.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"

namespace strata::grid {
namespace {

constexpr std::array<std::string_view, 12> kOptionNames{
    "repeats",       "seeds",          "limits.max_cells",      "limits.timeout",
    "limits.on_oom", "limits.on_fail", "limits.skip_dominated", "engine.kind",
    "engine.slots",  "engine.memory",  "engine.cells_per_gpu",  "engine.predict"};

// In the order of EngineKind.
constexpr std::array<std::string_view, 3> kEngines{"local", "slurm", "manifest"};

class OptionReader {
 public:
  OptionReader(const std::map<std::string, config::WrittenValue>& written,
               std::vector<config::Problem>& problems)
      : written_(written), problems_(problems), names_(kOptionNames.begin(), kOptionNames.end()) {
    names_.insert(names_.end(), slurm_option_names().begin(), slurm_option_names().end());
  }

  Options read() {
    Options options;
    for (const auto& [path, value] : written_) {
      if (std::ranges::find(names_, path) == names_.end())
        problem(path, value, fmt::format("unknown key of a grid{}", config::did_you_mean(path, names_)));
    }
    if (const auto number = integer("repeats", 1, 10'000)) options.repeats = *number;
    seeds(options);
    limits(options.limits);
    engine(options.engine);
    return options;
  }

 private:
  void seeds(Options& options) {
    const auto found = written_.find("seeds");
    if (found == written_.end()) return;
    if (written_.contains("repeats")) problem("seeds", found->second, "cannot be combined with repeats");
    if (!found->second.node.IsSequence() || found->second.node.size() == 0)
      return problem("seeds", found->second, expected("a list of integers", found->second.node));
    for (const YAML::Node& node : found->second.node) {
      const auto seed = node.IsScalar() ? config::parse_integer(node.Scalar()) : std::nullopt;
      if (!seed || *seed < 0) {
        problem("seeds", {node, config::place_of(node, found->second.place)},
                expected("an integer of at least 0", node));
      } else if (std::ranges::find(options.seeds, *seed) != options.seeds.end()) {
        problem("seeds", {node, config::place_of(node, found->second.place)},
                fmt::format("has {} twice", *seed));
      } else {
        options.seeds.push_back(*seed);
      }
    }
  }

  void limits(Limits& limits) {
    if (const auto number = integer("limits.max_cells", 1, 100'000))
      limits.max_cells = static_cast<std::uint64_t>(*number);
    if (const auto* const value = find("limits.timeout")) {
      limits.timeout = value->node.IsScalar() ? parse_duration(value->node.Scalar()) : std::nullopt;
      if (!limits.timeout)
        problem("limits.timeout", *value, expected("a time such as 90s, 10m or 2h", value->node));
    }
    // `record`: it counts as a result, and the grid continues.
    if (choice("limits.on_oom", {"record", "stop"}) == 1) limits.on_oom = After::kStop;
    if (choice("limits.on_fail", {"continue", "stop"}) == 1) limits.on_fail = After::kStop;
    if (const auto* const value = find("limits.skip_dominated")) {
      if (value->node.IsScalar()) limits.skip_dominated.push_back(value->node.Scalar());
      for (const YAML::Node& node :
           value->node.IsSequence() ? value->node : YAML::Node(YAML::NodeType::Sequence))
        limits.skip_dominated.push_back(node.IsScalar() ? node.Scalar() : std::string());
      if (limits.skip_dominated.empty())
        problem("limits.skip_dominated", *value, expected("a list of axes", value->node));
    }
  }

  void engine(Engine& engine) {
    if (const auto* const value = find("engine.kind")) {
      const auto kind = value->node.IsScalar() ? engine_named(value->node.Scalar()) : std::nullopt;
      if (!kind) problem("engine.kind", *value, expected("local, slurm or manifest", value->node));
      engine.kind = kind.value_or(EngineKind::kLocal);
    }
    if (!is_auto("engine.slots")) engine.slots = integer("engine.slots", 1, 4096);
    if (const auto* const value = find("engine.memory"); value != nullptr && !is_auto("engine.memory")) {
      const auto bytes = value->node.IsScalar() ? config::parse_bytes(value->node.Scalar()) : std::nullopt;
      if (!bytes || *bytes <= 0) {
        problem("engine.memory", *value, expected("auto or a number of bytes such as 12GiB", value->node));
      } else {
        engine.memory_bytes = static_cast<std::uint64_t>(*bytes);
      }
    }
    if (const auto number = integer("engine.cells_per_gpu", 1, 64)) engine.cells_per_gpu = *number;
    if (const auto* const value = find("engine.predict")) {
      const auto flag = value->node.IsScalar() ? config::parse_flag(value->node.Scalar()) : std::nullopt;
      if (!flag) problem("engine.predict", *value, expected("true or false", value->node));
      engine.predicts = flag.value_or(true);
    }
    engine.slurm = read_slurm_options(written_, problems_);
  }

  const config::WrittenValue* find(const std::string& path) const {
    const auto found = written_.find(path);
    return found == written_.end() ? nullptr : &found->second;
  }

  bool is_auto(const std::string& path) const {
    const auto* const value = find(path);
    return value != nullptr && value->node.IsScalar() && value->node.Scalar() == "auto";
  }

  std::optional<std::int64_t> integer(const std::string& path, std::int64_t least, std::int64_t most) {
    const auto* const value = find(path);
    if (value == nullptr) return std::nullopt;
    const auto number = value->node.IsScalar() ? config::parse_integer(value->node.Scalar()) : std::nullopt;
    if (number && *number >= least && *number <= most) return number;
    problem(path, *value, expected(fmt::format("an integer from {} to {}", least, most), value->node));
    return std::nullopt;
  }

  // Which of the words; the first where nothing is written.
  std::size_t choice(const std::string& path, std::vector<std::string_view> words) {
    const auto* const value = find(path);
    if (value == nullptr) return 0;
    const auto found = std::ranges::find(
        words, value->node.IsScalar() ? std::string_view(value->node.Scalar()) : std::string_view());
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
    problem(path, *value, expected(fmt::format("one of {}", fmt::join(words, ", ")), value->node));
    return 0;
  }

  static std::string expected(const std::string& what, const YAML::Node& node) {
    return fmt::format("expected {}, found {}", what, config::describe(node));
  }

  void problem(const std::string& path, const config::WrittenValue& value, std::string message) {
    problems_.push_back({value.place, path, std::move(message)});
  }

  const std::map<std::string, config::WrittenValue>& written_;
  std::vector<config::Problem>& problems_;
  std::vector<std::string_view> names_;
};

}  // namespace

std::string_view name_of(EngineKind kind) {
  return kEngines.at(static_cast<std::size_t>(kind));
}

std::optional<EngineKind> engine_named(std::string_view name) {
  const auto found = std::ranges::find(kEngines, name);
  if (found == kEngines.end()) return std::nullopt;
  return static_cast<EngineKind>(found - kEngines.begin());
}

bool is_option(std::string_view path) {
  return path == "repeats" || path == "seeds" || path.starts_with("limits.") || path.starts_with("engine.");
}

Options read_options(const std::map<std::string, config::WrittenValue>& written,
                     std::vector<config::Problem>& problems) {
  return OptionReader(written, problems).read();
}

std::optional<std::chrono::seconds> parse_duration(std::string_view text) {
  std::int64_t unit = 1;
  if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    unit = text.back() == 'h' ? 3600 : text.back() == 'm' ? 60 : 1;
    text.remove_suffix(1);
  }
  const auto number = config::parse_integer(text);
  constexpr std::int64_t kMost = std::int64_t{366} * 24 * 3600;
  if (!number || *number <= 0 || *number > kMost / unit) return std::nullopt;
  return std::chrono::seconds(*number * unit);
}

}  // namespace strata::grid
