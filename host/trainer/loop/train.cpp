// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/loop/train.hpp"

#include <ATen/Context.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/DeviceGuard.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <exception>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "host/trainer/loop/device.hpp"
#include "host/trainer/loop/failure.hpp"
#include "host/trainer/loop/training_run.hpp"
#include "host/trainer/torch_folder.hpp"

namespace strata::trainer {

namespace {

Result failed(Failure failure) {
  Result result;
  result.outcome = failure.outcome;
  result.message = std::move(failure.message);
  return result;
}

}  // namespace

std::optional<Result> start_device(const Request& request) {
  if (request.config.device.kind == config::DeviceKind::kCpu) return std::nullopt;
  try {
    // A run on the CPU does without CUDA's half of torch. It registers itself when it is opened.
    open_beside_torch("libtorch_cuda.so", RTLD_GLOBAL);
    at::globalContext().lazyInitDevice(c10::kCUDA);
    // What blocks and segments depend on, beside what is asked for.
    const nlohmann::ordered_json allocator = {{"settings", c10::CachingAllocator::getAllocatorSettings()}};
    request.session.describe("allocator", allocator.dump());
    return std::nullopt;
  } catch (...) {
    Failure failure = explain(std::current_exception());
    failure.message =
        fmt::format("device: {} cannot be used. {}", to_text(request.config.device), failure.message);
    return failed(std::move(failure));
  }
}

Result train(const Request& request, GraphModules* modules) {
  Result result;
  try {
    const c10::DeviceGuard device(torch_device(request.config.device));
    TrainingRun run(request, modules);
    result.parameters = run.parameter_count();
    request.session.ready();
    run.run_steps(result);
  } catch (...) {
    Failure failure = explain(std::current_exception());
    result.outcome = failure.outcome;
    result.message = std::move(failure.message);
  }
  return result;
}

}  // namespace strata::trainer
