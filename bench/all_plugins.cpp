// SPDX-License-Identifier: Apache-2.0
// The cost of all plugins together for a step on the CPU: the quickstart's model, with and without them,
// alternating in one process.
//
//   build/release/bench/bench_all_plugins
//
// Prints the ratio of the fastest steps' times in each round (the median moves by a third with other load on
// the machine), for steps that wait for the window and for steps of the window, whose operators are traced;
// for each the median, and the upper end of its 95% interval (bootstrap over the rounds). One thread
// computes: two would share their cores with other load. Exits with 1 if a median is above 1.02.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench/trained.hpp"
#include "host/config/loading/load.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::bench {
namespace {

constexpr double kLimit = 1.02;
constexpr int kRounds = 24;
// Of the quickstart's 120 steps.
constexpr double kWaiting = 112, kTraced = 8;
constexpr std::size_t kWarmUp = 2;
// Runs are short, so that other load on the machine affects both sides of a round.
constexpr int kSteps = 22;
constexpr const char* kYaml = R"(
name: all_plugins
model: {{size: custom, layers: 4, d_model: 128, d_ff: 384, heads: 4, vocab: 256, context: 128}}
data: {{source: synthetic, batch_size: 8}}
optimizer: {{name: adamw, lr: 2.0e-3, weight_decay: 0.1}}
schedule: {{wait: {}, warmup: 0, active: {}}}
backend: {{threads: 1}}
)";

struct Side {
  const char* name;
  config::RunConfig config;
  bool has_plugins;
};

std::vector<Side> sides() {
  const auto config = [](int wait, int active) {
    return config::parse_config(fmt::format(kYaml, wait, active), "all_plugins.yaml", {});
  };
  return {{"without", config(0, kSteps), false},
          {"waiting", config(kSteps - 1, 1), true},
          {"in the window", config(0, kSteps), true}};
}

double step_ms(const Side& side) {
  const test::TemporaryFolder folder;
  SessionOptions options;
  if (side.has_plugins) {
    options.name = "all_plugins";
    options.directory = folder.path();
    options.strict = true;
    options.schedule = {.wait = static_cast<std::uint64_t>(side.config.schedule.wait),
                        .active = static_cast<std::uint64_t>(side.config.schedule.active)};
    options.sources = {{.name = "torch", .options = {{"ops", "window", ""}}, .place = ""}};
    for (const char* name : {"allocator_tracer", "cupti_timeline", "nvtx_markers", "warmup_analyzer"})
      options.plugins.push_back({.name = name, .options = {}, .place = ""});
  }
  return std::ranges::min(train(side.config, std::move(options), kWarmUp));
}

// Upper end of the 95% interval of the median.
double upper_bound(const std::vector<double>& ratios) {
  constexpr int kDraws = 4000;
  std::mt19937 generator(0);
  std::uniform_int_distribution<std::size_t> any(0, ratios.size() - 1);
  std::vector<double> medians;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::vector<double> drawn(ratios.size());
    std::ranges::generate(drawn, [&] { return ratios[any(generator)]; });
    medians.push_back(median(std::move(drawn)));
  }
  std::ranges::sort(medians);
  return medians[static_cast<std::size_t>(0.975 * kDraws)];
}

int compare() {
  std::vector<Side> all = sides();
  start_device(all.front().config);
  for (const Side& side : all) step_ms(side);  // one-time costs
  std::map<std::string, std::vector<double>> ratios;
  for (int round = 0; round < kRounds; ++round) {
    // Each side goes first equally often.
    std::rotate(all.begin(), all.begin() + 1, all.end());
    std::map<std::string, double> times;
    for (const Side& side : all) times[side.name] = step_ms(side);
    for (const auto& [name, time] : times) ratios[name].push_back(time / times["without"]);
    fmt::print(stderr, "round {}/{}: {:.1f} ms without, waiting {:.4f}, in the window {:.4f}\n", round + 1,
               kRounds, times["without"], ratios["waiting"].back(), ratios["in the window"].back());
  }
  const auto print = [](const char* name, const std::vector<double>& of) {
    fmt::print("{:<16} step ratio {:.4f}, upper end {:.4f}\n", name, median(of), upper_bound(of));
  };
  std::vector<double> run;
  for (int round = 0; round < kRounds; ++round) {
    const auto index = static_cast<std::size_t>(round);
    run.push_back((kWaiting * ratios["waiting"][index] + kTraced * ratios["in the window"][index]) /
                  (kWaiting + kTraced));
  }
  print("waiting", ratios["waiting"]);
  print("in the window", ratios["in the window"]);
  print("the quickstart", run);
  fmt::print("limit of the last: {}\n", kLimit);
  return median(run) <= kLimit ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace strata::bench

int main() {
  try {
    return strata::bench::compare();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
