// SPDX-License-Identifier: Apache-2.0
// The NVTX domain of one plugin instance: the objects registered in it, and the calls that a tool receives.
//
// NVTX looks for a tool once, at its first call from this shared object; the result never changes afterwards.
// Without a tool every call below is a load and a branch.
//
// Threads: [any] [alloc-lock], except for the constructor and the destructor. Push and pop apply to the
// calling thread. A tool must not allocate through the framework in these calls, and no known tool does.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "strata/events.h"

namespace strata::nvtx_markers {

// NVTX categories, by which tools filter and colour. A tool's export contains these values.
enum class Category : std::uint32_t {
  kStep = 1,
  kMicroBatch = 2,
  kPhase = 3,
  kLayer = 4,
  kMemory = 5,
  kWindow = 6,
};

// The content of a range or mark: a message that is the same in each step, so that tools can group by it, and
// a number.
struct Range {
  nvtxStringHandle_t message = nullptr;  // registered, as required for a range that starts a capture
  Category category = Category::kStep;
  std::uint32_t colour = 0;              // 0xAARRGGBB
  std::optional<std::uint64_t> payload;  // empty: outside of what it counts
};

// The payload of a range that belongs to a step; empty outside of any step.
inline std::optional<std::uint64_t> step_payload(const strata_when& when) {
  return when.step == STRATA_NO_STEP ? std::nullopt : std::optional(when.step);
}

// The values known when a step, a micro-batch or a phase ends; laid out according to the NVTX schema "strata
// position".
struct EndPayload {
  std::uint64_t step = 0;
  std::uint64_t micro_batch = 0;
  std::uint64_t tokens = 0;           // of a step; else 0
  std::uint64_t allocated_bytes = 0;  // of the training's device: the first CUDA device in use, else the CPU
  std::uint64_t reserved_bytes = 0;
};

class Domain {
 public:
  // Registers the categories and the payload schema.
  explicit Domain(const char* name);
  ~Domain();
  Domain(const Domain&) = delete;
  Domain& operator=(const Domain&) = delete;

  bool attached() const noexcept { return domain_ != nullptr; }
  // Whether the tool supports the payload extension. Nsight Systems 2022 does not.
  bool takes_end_payloads() const noexcept { return schema_ != 0; }
  nvtxDomainHandle_t handle() const noexcept { return domain_; }

  // The registered string of that text. Null without a tool; then the calls below have no effect.
  nvtxStringHandle_t string(const char* text);
  // The same, cached by the name's id. `suffix` is appended to its text; `variant` (0 to 3) identifies the
  // suffix.
  nvtxStringHandle_t string(const strata_name& name, std::uint32_t variant = 0, const char* suffix = "");

  void push(const Range& range) const noexcept {
    if (attached()) push_to_tools(range);
  }
  void pop() const noexcept {
    if (attached()) nvtxDomainRangePop(domain_);
  }
  // Pops the calling thread's innermost range, with the values at its end if the tool supports them.
  void pop(const EndPayload& end) const noexcept;

  // A range of the process, which any thread may end.
  nvtxRangeId_t start(const Range& range) const noexcept;
  void end(nvtxRangeId_t range) const noexcept {
    if (attached()) nvtxDomainRangeEnd(domain_, range);
  }

  void mark(const Range& mark) const noexcept;
  void name_thread(std::uint32_t thread, const char* name) const noexcept {
    if (attached()) nvtxNameOsThreadA(thread, name);
  }

 private:
  void push_to_tools(const Range& range) const noexcept;

  nvtxDomainHandle_t domain_;
  std::uint64_t schema_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, nvtxStringHandle_t> strings_;  // by a name's id and variant
};

}  // namespace strata::nvtx_markers
