// SPDX-License-Identifier: Apache-2.0
// Shortens a stream with more events than a page can hold, outside of one interval.
#pragma once

#include <cstddef>

#include "host/report/stream/event_stream.hpp"

namespace strata::report {

// `whole` contains every event; those in [begin, end) remain individual. Before and after, at most `columns`
// columns with equal numbers of events each show their largest moment, as described in EventStream. Blocks
// alive within the interval remain individual, born and freed with the column: so no state of the stream is
// larger than a real one.
EventStream with_joined_columns(const EventStream& whole, std::size_t begin, std::size_t end,
                                std::size_t columns);

}  // namespace strata::report
