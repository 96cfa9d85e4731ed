// SPDX-License-Identifier: Apache-2.0
// What a run shows while it goes on: a bar on a terminal, a line now and then elsewhere. On standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "host/trainer/entry.hpp"

namespace strata::cli {

// "step 12/400  loss 3.214  5.4k tokens/s  312 MiB", with `resident_bytes` of the process; without a loss
// that nobody knows.
std::string progress_text(const trainer::Progress& progress, std::uint64_t resident_bytes);

// A bar of `width` columns, of which `done` of `total` are full.
std::string progress_bar(std::uint64_t done, std::uint64_t total, int width);

// Bytes of this process in physical memory.
std::uint64_t resident_bytes();

class ProgressDisplay {
 public:
  // `terminal`: redraw one line, at most 10 times a second. Otherwise a line at most every 5 seconds, and for
  // the first and the last step.
  explicit ProgressDisplay(bool terminal) : terminal_(terminal) {}
  // Leaves the cursor at the start of a line.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  void show(const trainer::Progress& progress);

 private:
  bool terminal_;
  bool drawn_ = false;
  std::optional<std::chrono::steady_clock::time_point> last_;
};

}  // namespace strata::cli
