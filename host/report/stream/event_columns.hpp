// SPDX-License-Identifier: Apache-2.0
// The stream as columns of small numbers, each column one section of bytes, in the format read by the page
// (page/timeline/sections.js; docs/report.md describes the layout).
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
  std::int64_t tick_ns = 1;  // times are multiples of this

  // The bytes of all sections, concatenated, deflated, in base64.
  std::string packed() const;
  // The data that the page needs for decoding: names, lengths and counts.
  nlohmann::json directory(const EventStream& stream) const;
};

// Times count from begin_ns.
EventColumns event_columns(const analysis::Facts& facts, const EventStream& stream, std::int64_t begin_ns);

}  // namespace strata::report
