// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace strata::analysis {

struct PhaseFact {
  std::uint32_t kind = 0;  // STRATA_PHASE_*
  std::string name;
  std::int64_t step = -1;  // -1 outside
  std::uint32_t micro_batch = 0;
  std::uint32_t depth = 0;
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;

  bool is_open_at(std::uint64_t sequence) const {
    return begin_sequence <= sequence && sequence < end_sequence;
  }
};

}  // namespace strata::analysis
