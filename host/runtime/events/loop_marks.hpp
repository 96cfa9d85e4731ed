// SPDX-License-Identifier: Apache-2.0
// Receives the steps and phases of a loop: the loop thread of a session, or a test that records them.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "strata/ext/step.h"

namespace strata {

struct StepMark {
  std::uint64_t index = 0;
  std::uint32_t micro_batches = 0;
  std::uint64_t epoch = STRATA_NO_EPOCH;
};

inline strata_step_result unknown_result() {
  strata_step_result result{};
  result.struct_size = sizeof result;
  result.loss = std::numeric_limits<double>::quiet_NaN();
  return result;
}

// Calls come one at a time, on any thread.
class LoopMarks {
 public:
  virtual void begin_step(const StepMark& step) = 0;
  virtual void begin_micro_batch(std::uint32_t index) = 0;
  virtual void end_step(const strata_step_result& result) = 0;
  // Pass the result to `end_phase`. `kind` is STRATA_PHASE_*.
  virtual std::uint32_t begin_phase(std::uint32_t kind, std::string_view name, bool inferred) = 0;
  virtual void end_phase(std::uint32_t phase) = 0;
  // An optimizer has run, so its state may be new.
  virtual void optimizer_ended() = 0;

 protected:
  ~LoopMarks() = default;
};

}  // namespace strata
