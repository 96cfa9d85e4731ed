// SPDX-License-Identifier: Apache-2.0
// Whether what devices did was recorded whole: what the source cupti says of each window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

// A row of cupti_capture (docs/cupti.md#whether-anything-is-missing), as far as it says what is missing.
struct Capture {
  std::uint64_t activities = 0;
  std::uint64_t dropped = 0;          // records that found no buffer
  std::uint64_t refused_buffers = 0;  // of which nothing is known how many records they would have held
  std::uint64_t without_times = 0, without_call = 0, lost_origins = 0;
  std::uint64_t broken_buffers = 0, late_buffers = 0, skipped_bytes = 0;
  std::string reason;  // why nothing was recorded; empty: it was

  bool is_whole() const;
};

// What is missing, and what that does to the tables, in a sentence for each window that lacks anything.
std::vector<std::string> capture_warnings(const std::vector<Capture>& captures);

}  // namespace strata::analysis
