// SPDX-License-Identifier: Apache-2.0
// torch_smoke FOLDER: a short recorded training with torch, for ThreadSanitizer (./dev sanitize tsan): on
// this thread, with autograd's and OpenMP's threads, while two others allocate and compute. Exits with 0 if
// no source or plugin failed and nothing was lost.
#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <ATen/Tensor.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "strata/runtime/session.hpp"

namespace strata::test {
namespace {

constexpr std::uint64_t kSteps = 6;

PluginRequest request(const char* name) {
  return {.name = name, .options = {}, .place = "here"};
}

SessionOptions options_for(const char* folder) {
  SessionOptions options;
  options.directory = folder;
  options.sources = {request("torch")};
  options.plugins = {request("allocator_tracer"), request("cupti_timeline"), request("warmup_analyzer")};
  options.schedule = {.wait = 1, .warmup = 1, .active = 3};
  options.strict = true;
  return options;
}

void compute_until(const std::atomic<bool>& done) {
  while (!done) (void)at::relu(at::ones({32, 32}).matmul(at::ones({32, 32}))).sum();
}

double train_step(Session& session, at::Tensor& weight) {
  at::Tensor loss;
  {
    const Phase forward(session, PhaseKind::kForward, "forward");
    // Large enough for torch to split it among its threads.
    loss = at::relu(at::ones({512, 64}).matmul(weight)).sum();
  }
  {
    const Phase backward(session, PhaseKind::kBackward, "backward");
    loss.backward();
  }
  const Phase optimizer(session, PhaseKind::kOptimizer, "optimizer");
  weight.mutable_grad().reset();
  return loss.item<double>();
}

int run(const char* folder) {
  at::set_num_threads(2);
  Session session(options_for(folder));
  session.begin_run();
  at::Tensor weight = at::rand({64, 512}).requires_grad_();
  session.ready();
  std::atomic<bool> done = false;
  std::vector<std::thread> beside;
  for (int i = 0; i < 2; ++i) beside.emplace_back([&] { compute_until(done); });
  for (std::uint64_t index = 0; index < kSteps; ++index) {
    Step step(session, index, 1);
    step.end({.optimizer_ran = true, .loss = train_step(session, weight), .tokens = 1});
  }
  done = true;
  for (std::thread& thread : beside) thread.join();
  session.end_run(RunEnd::kDone);

  std::string wrong = session.lost();
  for (const PluginStatus& plugin : session.plugins()) {
    if (plugin.status != "ok" || plugin.faults > 0) wrong += ' ' + plugin.id + ": " + plugin.reason;
  }
  if (!wrong.empty()) std::fprintf(stderr, "torch_smoke: %s\n", wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

}  // namespace
}  // namespace strata::test

int main(int argc, char** argv) try {
  if (argc == 2) return strata::test::run(argv[1]);
  std::fputs("usage: torch_smoke FOLDER\n", stderr);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "torch_smoke: %s\n", error.what());
  return 1;
}
