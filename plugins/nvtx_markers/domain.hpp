// SPDX-License-Identifier: Apache-2.0
// The NVTX domain of one plugin instance: what is registered in it, and the calls that a tool receives.
//
// NVTX looks for a tool once, at its first call from this shared object; whether one is there never changes
// afterwards. Without one every call below is a load and a branch.
//
// Threads: [any] [alloc-lock], but for the constructor and the destructor. Push and pop belong to the
// calling thread. A tool must not allocate through the framework in what it does with them, and none does.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "plugins/nvtx_markers/range.hpp"
#include "strata/events.h"

namespace strata::nvtx_markers {

// What is known when a step, a micro-batch or a phase ends; laid out as the NVTX schema
// "strata position" says.
struct EndPayload {
  std::uint64_t step = 0;
  std::uint64_t micro_batch = 0;
  std::uint64_t tokens = 0;           // of a step; 0 else
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
  // Whether the tool takes the payload extension. Nsight Systems 2022 does not.
  bool takes_end_payloads() const noexcept { return schema_ != 0; }
  nvtxDomainHandle_t handle() const noexcept { return domain_; }

  // The registered string of that text. Null without a tool, as all that follow do nothing.
  nvtxStringHandle_t string(const char* text);
  // The same, found again by the name's id; `suffix` is appended to its text, and `variant` (0 to 3) names
  // it.
  nvtxStringHandle_t string(const strata_name& name, std::uint32_t variant = 0, const char* suffix = "");

  void push(const Range& range) const noexcept {
    if (attached()) push_to_tools(range);
  }
  void pop() const noexcept {
    if (attached()) nvtxDomainRangePop(domain_);
  }
  // The calling thread's innermost range, with what is known at its end where the tool takes it.
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
