// SPDX-License-Identifier: Apache-2.0
// Failed allocations for the page.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "host/analysis/facts/forward.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

// The first few: the memory alive, the findings, and the command for advice.
nlohmann::json failures_data(const analysis::Facts& facts);

// When memory last ran out, from `begin_ns`, and the state of the stream then; null if it did not.
nlohmann::json ran_out_data(const analysis::Facts& facts, const EventStream& stream, std::int64_t begin_ns);

}  // namespace strata::report
