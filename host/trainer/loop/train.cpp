// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/loop/train.hpp"

#include <ATen/Context.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "host/trainer/loop/backend.hpp"
#include "host/trainer/loop/training_run.hpp"
#include "host/trainer/torch_folder.hpp"

namespace strata::trainer {

namespace {

Failure out_of_memory(std::string_view reason) {
  return {Outcome::kOutOfMemory,
          fmt::format("out of memory: {}. Lower data.batch_size (and raise accumulation to keep the step's "
                      "size), model.context, or the model's sizes.",
                      reason)};
}

// The CPU allocator's message begins with the failed check, and has no exception class of its own.
constexpr std::string_view kCpuAllocator = "DefaultCPUAllocator: ";

Result failed(Failure failure) {
  Result result;
  result.outcome = failure.outcome;
  result.message = std::move(failure.message);
  return result;
}

}  // namespace

Failure explain(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const c10::Error& error) {
    std::string_view line = error.what_without_backtrace();
    line.remove_prefix(std::min(line.find_first_not_of(" \n"), line.size()));
    line = line.substr(0, line.find('\n'));
    const auto allocator = line.find(kCpuAllocator);
    if (allocator != std::string_view::npos) {
      return out_of_memory(line.substr(allocator + kCpuAllocator.size()));
    }
    if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return out_of_memory(line);
    return {Outcome::kFailed, fmt::format("LibTorch reports: {}", line)};
  } catch (const std::bad_alloc&) {
    return out_of_memory("the host's heap has no room left");
  } catch (const std::exception& error) {
    return {Outcome::kFailed, error.what()};
  } catch (...) {
    return {Outcome::kFailed, "an exception other than std::exception was thrown"};
  }
}

std::optional<Result> start_device(const Request& request) {
  if (request.config.device.kind == config::DeviceKind::kCpu) return std::nullopt;
  try {
    // A run on the CPU does without CUDA's half of torch. It registers itself when it is opened.
    open_beside_torch("libtorch_cuda.so", RTLD_GLOBAL);
    at::globalContext().lazyInitDevice(c10::kCUDA);
    // Settings that affect blocks and segments besides the requests.
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
