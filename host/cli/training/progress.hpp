// SPDX-License-Identifier: Apache-2.0
// The progress of a run, on standard error: a bar on a terminal, occasional lines elsewhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "host/trainer/entry.hpp"

namespace strata::cli {

// "step 12/400  loss 3.214  5.4k tokens/s  312 MiB", with `resident_bytes` of the process; without an unknown
// loss.
std::string progress_text(const trainer::Progress& progress, std::uint64_t resident_bytes);

// A bar of `width` columns, filled in proportion to `done` of `total`.
std::string progress_bar(std::uint64_t done, std::uint64_t total, int width);

// Bytes of this process in physical memory.
std::uint64_t resident_bytes();

class ProgressDisplay {
 public:
  // `terminal`: redraw one line, at most 10 times a second. Otherwise print a line at most every 5 seconds,
  // and for the first and last step.
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
