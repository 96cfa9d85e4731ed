// SPDX-License-Identifier: Apache-2.0
#include "host/grid/prediction.hpp"

#include <fmt/format.h>

#include <csignal>
#include <utility>

#include "host/config/loading/load.hpp"
#include "host/config/schema/resolved.hpp"
#include "host/grid/measure.hpp"
#include "host/grid/outcome.hpp"
#include "host/grid/processes/durable_file.hpp"
#include "host/grid/processes/process_set.hpp"

namespace strata::grid {
namespace {

constexpr int kPredictedSteps = 2;
constexpr std::chrono::milliseconds kWait{500};

Prediction prediction_of(const ProcessSet::Ended& ended, const std::filesystem::path& run,
                         const std::filesystem::path& output) {
  const auto result = read_result(run);
  Prediction prediction;
  if (!result || ended.signal || (*ended.exit_code != 0 && *ended.exit_code != 3)) {
    prediction.problem = last_line(output);
    return prediction;
  }
  prediction.out_of_memory = *ended.exit_code == 3;
  const auto bytes = [&](Measure measure) -> std::optional<std::uint64_t> {
    const auto& value = result->measures[measure];
    return value ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
  };
  prediction.peak_allocated = bytes(Measure::kPeakAllocated);
  prediction.peak_reserved = bytes(Measure::kPeakReserved);
  return prediction;
}

}  // namespace

std::string prediction_config(const std::string& config_yaml, const std::string& card) {
  config::RunConfig config = config::parse_config(config_yaml, "prediction.yaml");
  const bool was_dry = config.device.is_dry();
  config.schedule = {.wait = 0, .warmup = 0, .active = kPredictedSteps, .max_steps = 0, .epochs = 0};
  config.plugins = {PluginRequest{.name = "allocator_tracer", .options = {}, .place = {}}};
  config.trace = {};
  config.trace.ops = "none";
  config.save = {};
  config.resume.clear();
  config.strict = false;
  if (!was_dry) {
    config.device = {};
    config.device.kind = config::DeviceKind::kCuda;
    config.device.dry = card;
  }
  if (config.world_size > 1) config.ddp.ranks = config::RanksThatRun::kFirst;
  return config::resolved_yaml(config);
}

Predictions predict(const std::vector<Cell>& cells, const std::string& card,
                    const std::filesystem::path& folder, std::int64_t at_once, const RunCommand& command,
                    const std::function<void(std::size_t, std::size_t)>& told) {
  std::vector<const Cell*> different;
  std::map<std::string, Prediction> found;
  for (const Cell& cell : cells) {
    if (found.emplace(cell.shape_id, Prediction{}).second) different.push_back(&cell);
  }
  const auto path = [&](const std::string& shape, const char* ending) { return folder / (shape + ending); };
  ProcessSet processes;
  std::map<pid_t, std::string> running;
  std::size_t next = 0, done = 0;
  while (next < different.size() || !running.empty()) {
    while (next < different.size() && running.size() < static_cast<std::size_t>(at_once)) {
      const Cell& cell = *different[next++];
      write_durably(path(cell.shape_id, ".yaml"), prediction_config(cell.config_yaml, card));
      Launch launch = command(path(cell.shape_id, ".yaml"), path(cell.shape_id, ""));
      launch.output = path(cell.shape_id, ".txt");
      running.emplace(processes.start(launch), cell.shape_id);
    }
    for (const ProcessSet::Ended& ended : processes.wait(kWait)) {
      const std::string shape = running.at(ended.pid);
      running.erase(ended.pid);
      found[shape] = prediction_of(ended, path(shape, ""), path(shape, ".txt"));
      std::error_code ignored;
      std::filesystem::remove_all(path(shape, ""), ignored);
      told(++done, different.size());
    }
    if (const auto signal = processes.interruption()) return {std::move(found), signal};
  }
  return {std::move(found), std::nullopt};
}

}  // namespace strata::grid
