// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/loop/failure.hpp"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <string_view>

namespace strata::trainer {

namespace {

Failure out_of_memory(std::string_view reason) {
  return {Outcome::kOutOfMemory,
          fmt::format("out of memory: {}. Lower data.batch_size (and raise accumulation to keep the step's "
                      "size), model.context, or the model's sizes.",
                      reason)};
}

// The CPU allocator's message opens with the check that failed, and has no class of its own.
constexpr std::string_view kCpuAllocator = "DefaultCPUAllocator: ";

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

}  // namespace strata::trainer
