// SPDX-License-Identifier: Apache-2.0
// The cost of the trainer's loop in addition to its LibTorch calls: the same training, by the trainer and by
// a bare loop, alternating in one process. Run it on a dry GPU, where a step consists only of the host's
// work:
//
//   strata exec --dry h100-80gb --plugins none -- build/release/bench/bench_training_loop
//
// Prints the ratio of the median step times, trainer to bare loop, for each pair, and their median. Exits
// with 1 if the median is above 1.01.
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/trained.hpp"
#include "host/config/loading/load.hpp"
#include "host/trainer/data/batch_reader.hpp"
#include "host/trainer/loop/backend.hpp"
#include "host/trainer/models/model.hpp"
#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {
namespace {

constexpr double kLimit = 1.01;
constexpr int kPairs = 15;
constexpr std::size_t kWarmUp = 10;

constexpr const char* kYaml = R"(
model: {name: llama, size: 60m, context: 256}
data: {source: synthetic, batch_size: 4}
attention: sdpa
optimizer: {name: adamw, impl: foreach}
schedule: {wait: 0, warmup: 10, active: 60}
device: cuda
backend: {threads: 1}
)";

// Milliseconds of each step after the first ones.
using bench::median;
using StepTimes = std::vector<double>;

StepTimes bare_loop(const config::RunConfig& config) {
  apply_backend(config, RankPlace{});
  const c10::Device device = torch_device(config.device);
  const auto source = open_batch_reader(config);
  const auto model =
      make_model({config.model, config.attention}, {{}, at::TensorOptions(at::kFloat).device(device)});
  const auto optimizer = make_optimizer(config.optimizer, named_parameters(*model));
  const auto samples = static_cast<std::uint64_t>(config.data.batch_size);
  // It frees everything it makes, including the graph, as the trainer does within its step.
  const auto train_step = [&](std::uint64_t step) {
    optimizer->zero_grad(/*set_to_none=*/true);
    const Batch batch = source->read(step * samples, config.data.batch_size);
    const at::Tensor logits = model->forward(batch.input.to(device));
    const at::Tensor loss = at::cross_entropy_loss(logits.flatten(0, -2), batch.target.to(device).flatten());
    loss.item<double>();
    loss.backward();
    optimizer->step();
  };
  StepTimes times;
  const std::uint64_t steps = config::total_steps(config);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    train_step(step);
    const std::chrono::duration<double, std::milli> duration = std::chrono::steady_clock::now() - begin;
    if (step >= kWarmUp) times.push_back(duration.count());
  }
  return times;
}

int compare() {
  const config::RunConfig config = config::parse_config(kYaml, "training_loop.yaml", {});
  bench::start_device(config);
  std::vector<double> ratios;
  for (int pair = 0; pair < kPairs; ++pair) {
    StepTimes trainers, bare;
    if (pair % 2 == 0) {
      trainers = bench::train(config, {}, kWarmUp);
      bare = bare_loop(config);
    } else {
      bare = bare_loop(config);
      trainers = bench::train(config, {}, kWarmUp);
    }
    ratios.push_back(median(trainers) / median(bare));
    fmt::print("pair {}/{}: {:.4f} of {:.2f} ms\n", pair + 1, kPairs, ratios.back(), median(bare));
  }
  fmt::print("step time, trainer / bare loop: median {:.4f} (limit {})\n", median(ratios), kLimit);
  return median(ratios) <= kLimit ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace strata::trainer

int main() {
  try {
    return strata::trainer::compare();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
