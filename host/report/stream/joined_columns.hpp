// SPDX-License-Identifier: Apache-2.0
// A stream of more events than a page can hold, made shorter outside of one interval.
#pragma once

#include <cstddef>

#include "host/report/stream/event_stream.hpp"

namespace strata::report {

// `whole` holds every event; those of [begin, end) stay one by one. Before and after, at most `columns`
// columns with equally many events each show their largest moment, as EventStream says. Blocks that are alive
// within the interval are kept as themselves all the same, born and freed with the column: so no state of the
// stream is larger than one that was.
EventStream with_joined_columns(const EventStream& whole, std::size_t begin, std::size_t end,
                                std::size_t columns);

}  // namespace strata::report
