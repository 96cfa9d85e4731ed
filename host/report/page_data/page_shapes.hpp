// SPDX-License-Identifier: Apache-2.0
// The shapes of the timeline for the page.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/shapes/shape.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

inline constexpr std::size_t kPageShapes = 100;

// The largest kPageShapes, sorted by time; times from `begin_ns`.
nlohmann::json shapes_data(const analysis::MemoryFacts& facts, const std::vector<analysis::Shape>& shapes,
                           const EventStream& stream, std::int64_t begin_ns);

}  // namespace strata::report
