// SPDX-License-Identifier: Apache-2.0
// For how long all operators are looked at to learn whether they use copies of weights: for the next steps
// after one was noted. Forwards are otherwise looked at only until they have begun.
#pragma once

#include <cstdint>

#include "sources/torch/training/model_copies.hpp"

namespace strata::torch_source {

class CopyLooks {
 public:
  // With the number of steps and of backwards so far.
  bool are_wanted(int steps, int backwards) {
    if (const std::uint64_t noted = copies_noted(); noted != noted_) {
      noted_ = noted;
      if (!is_open(steps, backwards)) open(steps, backwards);
    }
    return is_open(steps, backwards);
  }

 private:
  static constexpr int kSteps = 3;
  static constexpr int kBackwards = 64;  // of a program whose steps are not counted
  static constexpr int kMostLooks = 16;  // of a program that makes new copies for ever

  bool is_open(int steps, int backwards) const {
    return looks_ > 0 && steps < step_ + kSteps && backwards < backward_ + kBackwards;
  }
  void open(int steps, int backwards) {
    if (looks_ >= kMostLooks) return take_new_clones_for_used();
    ++looks_;
    step_ = steps;
    backward_ = backwards;
  }

  std::uint64_t noted_ = 0;
  int looks_ = 0, step_ = 0, backward_ = 0;
};

}  // namespace strata::torch_source
