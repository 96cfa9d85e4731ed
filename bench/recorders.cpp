// SPDX-License-Identifier: Apache-2.0
// The cost of recording memory for a training step: Strata's and PyTorch's own recorders, alternating in one
// process. Run it on a dry GPU, where a step consists only of the host's work, so kernels hide nothing:
//
//   strata exec --dry h100-80gb --plugins none -- build/release/bench/bench_recorders
//
// Two measures: the ratio of a step's median time, recorded to unrecorded; and the total time that a recorder
// adds to each step: starting, recording, stopping, and writing the file that its viewer reads (for Strata:
// closing the run store). The time for Strata to analyse a run and write it as a pickle of torch's memory
// history is printed too. Exits with 1 if Strata exceeds its limits.
#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <fmt/format.h>
#include <fmt/std.h>
#include <torch/csrc/autograd/profiler_kineto.h>
#include <torch/csrc/cuda/memory_snapshot.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/trained.hpp"
#include "host/analysis/analyse.hpp"
#include "host/config/loading/load.hpp"
#include "host/export/snapshot/memory_viz.hpp"
#include "tests/temporary_folder.hpp"

namespace strata {
namespace {

using bench::median;
using std::chrono::duration;
using std::chrono::steady_clock;
namespace profiler = torch::autograd::profiler;

constexpr int kRounds = 5;
constexpr std::size_t kWarmUp = 10;
constexpr std::size_t kSteps = 210;
// Large enough for all rows, so that a step's time is that of its events. Rows the store's writer has not
// written by the end are written then, and that time counts as added.
constexpr std::uint64_t kSpoolBytes = std::uint64_t{64} << 20;
constexpr const char* kYaml = R"(
name: recorders
model: {name: llama, size: 60m, context: 256}
data: {source: synthetic, batch_size: 4}
attention: sdpa
optimizer: {name: adamw, impl: foreach}
schedule: {wait: 0, warmup: 10, active: 200}
device: cuda
backend: {threads: 1}
)";

double milliseconds_since(steady_clock::time_point begin) {
  return duration<double, std::milli>(steady_clock::now() - begin).count();
}

// One training run: the median time of a step, the time of the run including all of the recorder's work, and
// the time to write it as a pickle.
struct Times {
  double step_ms = 0, run_ms = 0, pickle_ms = 0;
};

double train(const config::RunConfig& config, SessionOptions options) {
  return median(bench::train(config, std::move(options), kWarmUp));
}

class FileOutput : public exports::Output {
 public:
  explicit FileOutput(const std::filesystem::path& path) : file_(path, std::ios::binary) {}

  void write(std::string_view bytes) override {
    if (!file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw std::runtime_error("a file could not be written");
  }

 private:
  std::ofstream file_;
};

// Runs with each recorder: the median time of a step.
double by_nobody(const config::RunConfig& config, const std::filesystem::path&) {
  return train(config, {});
}

// The minimum cost of any recorder of operators: torch calls it, and it does nothing.
double by_empty_callbacks(const config::RunConfig& config, const std::filesystem::path&) {
  const at::CallbackHandle handle = at::addGlobalCallback(
      at::RecordFunctionCallback([](const at::RecordFunction&) -> std::unique_ptr<at::ObserverContext> {
        return nullptr;
      }).scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
  const double step_ms = train(config, {});
  at::removeCallback(handle);
  return step_ms;
}

double by_strata(const config::RunConfig& config, const std::filesystem::path& folder, const char* ops,
                 const std::vector<PluginOption>& tracer) {
  SessionOptions options;
  options.name = "recorders";
  options.directory = folder;
  options.dry = "h100-80gb";
  options.strict = true;
  options.store.spool_bytes = kSpoolBytes;
  options.sources = {{.name = "torch", .options = {{"ops", ops, ""}}, .place = ""}};
  options.plugins = {{.name = "allocator_tracer", .options = tracer, .place = ""}};
  return train(config, std::move(options));
}

void pickle_run(const std::filesystem::path& folder) {
  FileOutput output(folder / "snapshot.pickle");
  exports::write_memory_viz(analysis::analyse(folder), output);
}

double by_memory_history(const config::RunConfig& config, const std::filesystem::path& folder,
                         const std::optional<std::string>& context) {
  torch::cuda::_record_memory_history("all", context, "all");
  const double step_ms = train(config, {});
  FileOutput(folder / "snapshot.pickle").write(torch::cuda::_memory_snapshot_pickled());
  torch::cuda::_record_memory_history(std::nullopt, std::nullopt, "all", SIZE_MAX, /*clearHistory=*/true);
  return step_ms;
}

double by_profiler(const config::RunConfig& config, const std::filesystem::path& folder) {
  using torch::profiler::impl::ActivityType;
  const torch::profiler::impl::ProfilerConfig wanted(torch::profiler::impl::ProfilerState::KINETO,
                                                     /*report_input_shapes=*/true, /*profile_memory=*/true);
  profiler::prepareProfiler(wanted, {ActivityType::CPU});
  profiler::enableProfiler(wanted, {ActivityType::CPU});
  const double step_ms = train(config, {});
  profiler::disableProfiler()->save(folder / "trace.json");
  return step_ms;
}

// The required ratio of a peer's added time to ours, for the same kind of record.
struct Peer {
  const char* ours;
  double times;
};

constexpr double kNoLimit = 1e9;

struct Recorder {
  const char* name;
  std::function<double(const config::RunConfig&, const std::filesystem::path&)> run;
  double step_limit = 0;  // ours: limit on a step's time relative to an unrecorded one; 0: a peer's
  std::optional<Peer> peer = {};
};

std::vector<Recorder> recorders() {
  const auto strata = [](const char* ops, const std::vector<PluginOption>& tracer = {}) {
    return [ops, tracer](const auto& config, const auto& folder) {
      return by_strata(config, folder, ops, tracer);
    };
  };
  const auto history = [](const std::optional<std::string>& context) {
    return [context](const auto& config, const auto& folder) {
      return by_memory_history(config, folder, context);
    };
  };
  return {{"nobody", by_nobody},
          {"strata, allocations", strata("none"), 1.10},
          {"strata, operators too", strata("run"), 1.25},
          {"strata, every stack", strata("none", {{"stacks_above_mib", "0", ""}}), kNoLimit},
          {"empty callbacks", by_empty_callbacks},
          {"memory history", history(std::nullopt), 0, Peer{"strata, allocations", 5}},
          {"memory history, C++ stacks", history("all"), 0, Peer{"strata, every stack", 5}},
          {"torch.profiler, memory and shapes", by_profiler, 0, Peer{"strata, operators too", 10}}};
}

Times timed(const Recorder& recorder, const config::RunConfig& config) {
  const test::TemporaryFolder folder;
  const auto begin = steady_clock::now();
  Times times;
  times.step_ms = recorder.run(config, folder.path());
  times.run_ms = milliseconds_since(begin);
  if (recorder.step_limit > 0) {
    const auto stored = steady_clock::now();
    pickle_run(folder.path());
    times.pickle_ms = milliseconds_since(stored);
  }
  return times;
}

// Per round: each recorder's step relative to the unrecorded one of the same round, and its added time per
// step.
struct Measured {
  std::vector<double> step_ratios, added_ms, pickle_ms;
};

int compare() {
  const config::RunConfig config = config::parse_config(kYaml, "recorders.yaml", {});
  bench::start_device(config);
  const std::vector<Recorder> all = recorders();
  std::map<std::string, Measured> measured;
  for (const Recorder& recorder : all) timed(recorder, config);  // one-time costs
  for (int round = 0; round < kRounds; ++round) {
    const Times unrecorded = timed(all.front(), config);
    for (std::size_t index = 1; index < all.size(); ++index) {
      const Times times = timed(all[index], config);
      Measured& of = measured[all[index].name];
      of.step_ratios.push_back(times.step_ms / unrecorded.step_ms);
      of.added_ms.push_back((times.run_ms - unrecorded.run_ms) / static_cast<double>(kSteps));
      of.pickle_ms.push_back(times.pickle_ms / static_cast<double>(kSteps));
    }
    fmt::print(stderr, "round {}/{}: a step takes {:.2f} ms\n", round + 1, kRounds, unrecorded.step_ms);
  }

  bool within = true;
  fmt::print("{:<36}{:>12}{:>18}\n", "recorded by", "step ratio", "added ms a step");
  for (std::size_t index = 1; index < all.size(); ++index) {
    const Recorder& recorder = all[index];
    const double ratio = median(measured[recorder.name].step_ratios);
    const double added = median(measured[recorder.name].added_ms);
    fmt::print("{:<36}{:>12.3f}{:>18.3f}", recorder.name, ratio, added);
    if (recorder.step_limit > 0) {
      fmt::print("   as a pickle {:.3f} ms more", median(measured[recorder.name].pickle_ms));
      if (recorder.step_limit < kNoLimit) fmt::print("; step ratio at most {}", recorder.step_limit);
      within = within && ratio <= recorder.step_limit;
    }
    if (recorder.peer) {
      const double times = added / median(measured[recorder.peer->ours].added_ms);
      fmt::print("   {:.1f} times '{}', at least {}", times, recorder.peer->ours, recorder.peer->times);
      within = within && times >= recorder.peer->times;
    }
    fmt::print("\n");
  }
  return within ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace strata

int main() {
  try {
    return strata::compare();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
