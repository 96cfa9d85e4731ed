// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <variant>

#include "host/report/quantity.hpp"

namespace strata::report {
namespace {

using analysis::CudaTracing;

constexpr std::size_t kNamedIntervals = 4;

std::string interval_steps(const analysis::ThinnedSteps& interval) {
  return interval.first_step == interval.last_step
             ? fmt::format("{}", interval.first_step)
             : fmt::format("{}-{}", interval.first_step, interval.last_step);
}

struct WarningWords {
  std::string operator()(const std::string& text) const { return text; }

  std::string operator()(const analysis::EventGaps& gaps) const {
    switch (gaps.gap) {
      case analysis::EventGap::kUnknownFree:
        return fmt::format(
            "{} frees of blocks that were allocated before the recording began, or whose allocation is "
            "missing",
            gaps.count);
      case analysis::EventGap::kDoubleAllocation:
        return fmt::format("{} allocations at an address that was in use: the free before them is missing",
                           gaps.count);
      case analysis::EventGap::kHomelessTensor:
        return fmt::format("{} registered tensors whose storage no recorded allocation made", gaps.count);
    }
    return {};
  }

  std::string operator()(const analysis::ThinnedWindow& window) const {
    std::vector<std::string> steps;
    std::uint64_t count = 0;
    for (const analysis::ThinnedSteps& interval : window.intervals) {
      if (steps.size() < kNamedIntervals) steps.push_back(interval_steps(interval));
      count += interval.steps;
    }
    if (window.intervals.size() > kNamedIntervals)
      steps.push_back(fmt::format("and {} more intervals", window.intervals.size() - kNamedIntervals));
    return fmt::format(
        "{} {} {} thinned (store.max_mb): {} peak{} kept, {} allocations are not; what is said of the window "
        "is of the steps {}-{} alone, but for its peak",
        count == 1 ? "step" : "steps", fmt::join(steps, ", "), count == 1 ? "is" : "are",
        count == 1 ? "its" : "their", count == 1 ? " is" : "s are", count == 1 ? "its" : "their",
        window.first_step, window.last_step);
  }

  std::string operator()(const analysis::UnreachedWindow&) const {
    return "no step of the active window was recorded: the statistics cover the whole run";
  }

  std::string operator()(const analysis::UnseenForward&) const {
    return "no forward was seen, neither marked nor recorded by autograd: until one has run, nobody knows "
           "whose memory is whose but of what strata.attach or strata::attach names";
  }

  std::string operator()(const analysis::UntrainedParameters& parameters) const {
    return fmt::format(
        "{} trainable parameters ({}) have no gradient and no optimizer state in this run, such as {}: no "
        "backward "
        "reached them",
        parameters.count, in_mib(parameters.bytes), parameters.first_name);
  }

  std::string operator()(const analysis::CudaAllocator& allocator) const {
    constexpr const char* kOwn =
        "For all of it run with torch's own allocator: no backend: in PYTORCH_CUDA_ALLOC_CONF, and none "
        "plugged in";
    switch (allocator.tracing) {
      case CudaTracing::kUnknown:
      case CudaTracing::kItself:
        return {};
      case CudaTracing::kCounted:
        return fmt::format(
            "torch's CUDA allocator was '{}', which tells of no segments: every block is here, and what was "
            "reserved as a sum, but not where it was or which stream had it. {}",
            allocator.name, kOwn);
      case CudaTracing::kUncounted:
        return fmt::format(
            "torch's CUDA allocator was '{}', which keeps no count: every block is here, as large as it was "
            "asked for, but not what was reserved, so that it is shown as what was allocated. {}",
            allocator.name, kOwn);
      case CudaTracing::kRefused:
        return fmt::format(
            "torch's CUDA allocator was '{}', put there after another one had been traced in the process: "
            "its memory is not here. Choose the allocator before the first run of a process",
            allocator.name);
    }
    return {};
  }
};

}  // namespace

std::string warning_text(const analysis::Warning& warning) {
  return std::visit(WarningWords(), warning);
}

std::vector<std::string> warning_texts(const std::vector<analysis::Warning>& warnings) {
  std::vector<std::string> texts;
  texts.reserve(warnings.size());
  for (const analysis::Warning& warning : warnings) texts.push_back(warning_text(warning));
  return texts;
}

}  // namespace strata::report
