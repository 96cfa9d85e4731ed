// SPDX-License-Identifier: Apache-2.0
// Where allocations were made, of a run that took stacks, in words for the page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

struct StackTexts {
  std::vector<std::string> texts;       // a line a frame, the innermost first
  std::vector<std::uint32_t> stack_of;  // by allocation of the stream: 0 is none, k is texts[k - 1]
};

struct StackLimits {
  std::size_t stacks = 100;  // those of most bytes: finding the names of frames takes its time
  std::size_t frames = 12;
};

// Both empty in a run without stacks.
StackTexts stack_texts(const analysis::Facts& facts, const EventStream& stream,
                       const StackLimits& limits = {});

}  // namespace strata::report
