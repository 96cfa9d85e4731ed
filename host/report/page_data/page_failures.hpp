// SPDX-License-Identifier: Apache-2.0
// The allocations that failed as the page has them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

// The first few: what filled the device, what the recording shows of it, and the command for advice.
nlohmann::json failures_data(const analysis::Facts& facts);

// When memory ran out the last time, from `begin_ns`, and the state of the stream then; null: it did not.
nlohmann::json ran_out_data(const analysis::Facts& facts, const EventStream& stream, std::int64_t begin_ns);

}  // namespace strata::report
