// SPDX-License-Identifier: Apache-2.0
// The stream as columns of small numbers, one section of bytes each, as the page reads them back
// (page/timeline/sections.js; docs/report.md has the layout).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

struct EventColumns {
  struct Section {
    std::string_view name;  // static
    std::string bytes;
  };
  std::vector<Section> sections;
  std::int64_t tick_ns = 1;  // times are whole numbers of these

  // All sections' bytes, one after the other, deflated, in base64.
  std::string packed() const;
  // What the page must know to read them: names, lengths and counts.
  nlohmann::json directory(const EventStream& stream) const;
};

// Times count from begin_ns.
EventColumns event_columns(const analysis::Facts& facts, const EventStream& stream, std::int64_t begin_ns);

}  // namespace strata::report
