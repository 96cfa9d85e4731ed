// SPDX-License-Identifier: Apache-2.0
#include "bench/trained.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include "host/trainer/entry.hpp"
#include "host/trainer/loop/train.hpp"
#include "strata/runtime/session.hpp"

namespace strata::bench {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void start_device(const config::RunConfig& config) {
  Session session(SessionOptions{});
  const std::atomic<int> interrupt = 0;
  const trainer::Request request{.config = config, .session = session, .on_step = {}, .interrupt = interrupt};
  if (const auto failure = trainer::start_device(request)) throw std::runtime_error(failure->message);
}

std::vector<double> train(const config::RunConfig& config, SessionOptions options, std::size_t warm_up) {
  Session session(std::move(options));
  const std::atomic<int> interrupt = 0;
  std::vector<double> steps;
  const auto keep = [&](const trainer::Progress& progress) {
    if (progress.step > warm_up) steps.push_back(static_cast<double>(progress.step_ns) / 1e6);
  };
  const trainer::Request request{
      .config = config, .session = session, .on_step = keep, .interrupt = interrupt};
  session.begin_run();
  const trainer::Result result = trainer::train(request, /*modules=*/nullptr);
  session.end_run(RunEnd::kDone);
  if (result.outcome != trainer::Outcome::kDone) throw std::runtime_error(result.message);
  return steps;
}

}  // namespace strata::bench
