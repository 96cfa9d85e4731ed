// SPDX-License-Identifier: Apache-2.0
// Passes the marks of a session's loop, the program's own and the inferred ones, to its loop thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "host/runtime/events/loop_marks.hpp"
#include "host/runtime/events/loop_thread.hpp"
#include "host/runtime/events/optimizer_watchers.hpp"
#include "host/runtime/store/names.hpp"

namespace strata {

class LoopThreadMarks final : public LoopMarks {
 public:
  // All outlive this.
  LoopThreadMarks(LoopThread& loop_thread, Names& names, OptimizerWatchers& watchers)
      : loop_thread_(loop_thread), names_(names), watchers_(watchers) {}

  void begin_step(const StepMark& step) override {
    loop_thread_.begin_step(step.index, step.micro_batches, step.epoch);
  }
  void begin_micro_batch(std::uint32_t index) override { loop_thread_.begin_micro_batch(index); }
  void end_step(const strata_step_result& result) override { loop_thread_.end_step(result); }
  std::uint32_t begin_phase(std::uint32_t kind, std::string_view name, bool inferred) override {
    const strata_name interned = loop_thread_.wants_phases() ? names_.intern(name) : strata_name{"", 0, 0};
    return loop_thread_.begin_phase(kind, interned, inferred);
  }
  void end_phase(std::uint32_t phase) override { loop_thread_.end_phase(phase); }
  void optimizer_ended() override { watchers_.tell(); }

 private:
  LoopThread& loop_thread_;
  Names& names_;
  OptimizerWatchers& watchers_;
};

}  // namespace strata
