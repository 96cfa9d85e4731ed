// SPDX-License-Identifier: Apache-2.0
// Writes down the marks of a loop: "step 0 [ forward( ) ] ran".
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/runtime/events/loop_marks.hpp"

namespace strata {

// A phase marked by the program has a star: "forward*(".
class WrittenMarks final : public LoopMarks {
 public:
  // As in the loop thread: a new step ends what the previous step left open.
  void begin_step(const StepMark& step) override {
    if (step_open_) open_.resize(std::min(open_.size(), open_outside_step_));
    step_open_ = true;
    open_outside_step_ = open_.size();
    say("step " + std::to_string(step.index) + " [");
  }
  void begin_micro_batch(std::uint32_t index) override { say("micro-batch " + std::to_string(index)); }
  void end_step(const strata_step_result& result) override {
    step_open_ = false;
    say(result.optimizer_ran != 0 ? "] ran" : "] not run");
  }
  std::uint32_t begin_phase(std::uint32_t, std::string_view name, bool inferred) override {
    say(std::string(name) + (inferred ? "(" : "*("));
    open_.push_back(++phases_);
    return phases_;
  }
  void end_phase(std::uint32_t phase) override {
    ASSERT_FALSE(open_.empty());
    EXPECT_EQ(phase, open_.back()) << "phases nest";
    open_.pop_back();
    say(")");
  }
  void optimizer_ended() override { ++optimizers_; }

  std::string take() { return std::exchange(text_, {}); }
  bool nothing_is_open() const { return open_.empty(); }
  int optimizers() const { return optimizers_; }

 private:
  void say(const std::string& word) { text_ += (text_.empty() ? "" : " ") + word; }

  std::string text_;
  std::vector<std::uint32_t> open_;
  bool step_open_ = false;
  std::size_t open_outside_step_ = 0;
  std::uint32_t phases_ = 0;
  int optimizers_ = 0;
};

}  // namespace strata
