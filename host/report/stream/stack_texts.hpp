// SPDX-License-Identifier: Apache-2.0
// The stacks of allocations as text for the page, in a run that recorded stacks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

struct StackTexts {
  std::vector<std::string> texts;       // one line per frame, innermost first
  std::vector<std::uint32_t> stack_of;  // by allocation of the stream: 0: none, k: texts[k - 1]
};

struct StackLimits {
  std::size_t stacks = 100;  // those with most bytes: symbolising frames takes time
  std::size_t frames = 12;
};

// Both empty for a run without stacks.
StackTexts stack_texts(const analysis::Facts& facts, const EventStream& stream,
                       const StackLimits& limits = {});

}  // namespace strata::report
