// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/slurm_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"
#include "host/grid/file/options.hpp"

namespace strata::grid {
namespace {

constexpr std::array<std::string_view, 13> kSlurmNames{
    "engine.partition", "engine.account", "engine.qos",  "engine.constraint", "engine.time",
    "engine.gres",      "engine.cpus",    "engine.gpus", "engine.throttle",   "engine.pack",
    "engine.requeue",   "engine.sbatch",  "engine.setup"};

// Whether it can be written into a line of a script for the shell and sbatch.
bool is_one_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; }) &&
         text.find_first_of("\"'\\`$") == std::string_view::npos;
}

bool is_one_line(std::string_view text) {
  return !text.empty() &&
         std::ranges::none_of(text, [](char c) { return c == '\n' || c == '\r' || c == '\0'; });
}

// "90s" as sbatch has it, "0:01:30"; its own forms stay, such as "1-12:00:00". Empty: neither.
std::string time_limit(const std::string& text) {
  if (text.find_first_of(":-") != std::string::npos)
    return text.find_first_not_of("0123456789:-") == std::string::npos ? text : std::string();
  // A bare number is seconds elsewhere in a grid's file and minutes to sbatch: it has to be said.
  if (text.empty() || (text.back() >= '0' && text.back() <= '9')) return {};
  const auto seconds = parse_duration(text);
  if (!seconds) return {};
  return fmt::format("{}:{:02}:{:02}", seconds->count() / 3600, seconds->count() / 60 % 60,
                     seconds->count() % 60);
}

class SlurmReader {
 public:
  SlurmReader(const std::map<std::string, config::WrittenValue>& written,
              std::vector<config::Problem>& problems)
      : written_(written), problems_(problems) {}

  SlurmOptions read() {
    SlurmOptions options;
    options.partition = word("engine.partition");
    options.account = word("engine.account");
    options.qos = word("engine.qos");
    options.constraint = word("engine.constraint");
    options.gres = word("engine.gres");
    if (const auto* const value = find("engine.time")) {
      options.time = value->node.IsScalar() ? time_limit(value->node.Scalar()) : "";
      if (options.time.empty())
        expected("engine.time", *value, "a time such as 30m or 2h, or in sbatch's form (1-12:00:00)");
    }
    options.cpus = integer("engine.cpus", 1, 4096);
    options.gpus = integer("engine.gpus", 0, 64);
    options.throttle = integer("engine.throttle", 1, 100'000);
    options.pack = integer("engine.pack", 1, 10'000).value_or(1);
    if (const auto* const value = find("engine.requeue")) {
      const auto flag = value->node.IsScalar() ? config::parse_flag(value->node.Scalar()) : std::nullopt;
      if (!flag) expected("engine.requeue", *value, "true or false");
      options.requeue = flag.value_or(true);
    }
    options.sbatch = lines("engine.sbatch");
    for (const std::string& line : options.sbatch) {
      if (!line.starts_with("-"))
        expected("engine.sbatch", *find("engine.sbatch"), "options of sbatch, such as --exclusive");
    }
    options.setup = lines("engine.setup");
    if (!options.gres.empty() && options.gpus)
      problem("engine.gpus", *find("engine.gpus"),
              "cannot be combined with gres, which already names the devices");
    return options;
  }

 private:
  const config::WrittenValue* find(const char* path) const {
    const auto found = written_.find(path);
    return found == written_.end() ? nullptr : &found->second;
  }

  std::string word(const char* path) {
    const auto* const value = find(path);
    if (value == nullptr) return {};
    if (value->node.IsScalar() && is_one_word(value->node.Scalar())) return value->node.Scalar();
    expected(path, *value, "one word, as sbatch accepts it");
    return {};
  }

  std::optional<std::int64_t> integer(const char* path, std::int64_t least, std::int64_t most) {
    const auto* const value = find(path);
    if (value == nullptr) return std::nullopt;
    const auto number = value->node.IsScalar() ? config::parse_integer(value->node.Scalar()) : std::nullopt;
    if (number && *number >= least && *number <= most) return number;
    expected(path, *value, fmt::format("an integer from {} to {}", least, most));
    return std::nullopt;
  }

  std::vector<std::string> lines(const char* path) {
    const auto* const value = find(path);
    if (value == nullptr) return {};
    std::vector<std::string> found;
    if (value->node.IsScalar()) found.push_back(value->node.Scalar());
    if (value->node.IsSequence()) {
      for (const YAML::Node& node : value->node)
        found.push_back(node.IsScalar() ? node.Scalar() : std::string());
    }
    if (!found.empty() && std::ranges::all_of(found, is_one_line)) return found;
    expected(path, *value, "a list of lines");
    return {};
  }

  void expected(const char* path, const config::WrittenValue& value, const std::string& what) {
    problem(path, value, fmt::format("expected {}, found {}", what, config::describe(value.node)));
  }
  void problem(const char* path, const config::WrittenValue& value, std::string message) {
    problems_.push_back({value.place, path, std::move(message)});
  }

  const std::map<std::string, config::WrittenValue>& written_;
  std::vector<config::Problem>& problems_;
};

nlohmann::json or_null(const std::optional<std::int64_t>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

std::optional<std::int64_t> integer_at(const nlohmann::json& json, const char* key) {
  const auto& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<std::int64_t>());
}

}  // namespace

std::span<const std::string_view> slurm_option_names() {
  return kSlurmNames;
}

SlurmOptions read_slurm_options(const std::map<std::string, config::WrittenValue>& written,
                                std::vector<config::Problem>& problems) {
  return SlurmReader(written, problems).read();
}

std::string slurm_options_text(const SlurmOptions& options) {
  const nlohmann::json json = {{"partition", options.partition},
                               {"account", options.account},
                               {"qos", options.qos},
                               {"constraint", options.constraint},
                               {"time", options.time},
                               {"gres", options.gres},
                               {"cpus", or_null(options.cpus)},
                               {"gpus", or_null(options.gpus)},
                               {"throttle", or_null(options.throttle)},
                               {"pack", options.pack},
                               {"requeue", options.requeue},
                               {"sbatch", options.sbatch},
                               {"setup", options.setup}};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

SlurmOptions parse_slurm_options(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text);
  return {.partition = json.at("partition").get<std::string>(),
          .account = json.at("account").get<std::string>(),
          .qos = json.at("qos").get<std::string>(),
          .constraint = json.at("constraint").get<std::string>(),
          .time = json.at("time").get<std::string>(),
          .gres = json.at("gres").get<std::string>(),
          .cpus = integer_at(json, "cpus"),
          .gpus = integer_at(json, "gpus"),
          .throttle = integer_at(json, "throttle"),
          .pack = json.at("pack").get<std::int64_t>(),
          .requeue = json.at("requeue").get<bool>(),
          .sbatch = json.at("sbatch").get<std::vector<std::string>>(),
          .setup = json.at("setup").get<std::vector<std::string>>()};
}

}  // namespace strata::grid
