// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream/event_columns.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/report/stream/block_sites.hpp"
#include "host/report/stream/number_column.hpp"
#include "host/report/stream/packed.hpp"
#include "host/report/stream/stack_texts.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

// With more events, the last digits of their times would be most of the page, and are not visible.
constexpr std::size_t kExactTimes = 200'000;
constexpr std::int64_t kCoarseTickNs = 100;

std::string times(const EventStream& stream, std::int64_t begin_ns, std::int64_t tick_ns) {
  NumberColumn column;
  std::int64_t last = 0;
  for (const StreamEvent& event : stream.events) {
    const std::int64_t tick = std::max<std::int64_t>(event.ns - begin_ns, 0) / tick_ns;
    column.append(static_cast<std::uint64_t>(tick - last));
    last = tick;
  }
  return column.bytes();
}

// 0 is an allocation, k the free of the one that was made k allocations ago.
std::string references(const EventStream& stream) {
  NumberColumn column;
  std::uint64_t made = 0;
  for (const StreamEvent& event : stream.events) {
    column.append(event.frees ? made - event.allocation : 0);
    if (!event.frees) ++made;
  }
  return column.bytes();
}

struct Sizes {
  std::string dictionary, indices;
};

// The smallest first, as differences: so their order is the order of sizes.
Sizes sizes(const EventStream& stream) {
  std::vector<std::uint64_t> ordered;
  ordered.reserve(stream.allocations.size());
  for (const StreamAllocation& allocation : stream.allocations) ordered.push_back(allocation.bytes);
  std::ranges::sort(ordered);
  ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
  NumberColumn dictionary, indices;
  std::unordered_map<std::uint64_t, std::uint64_t> place;
  place.reserve(ordered.size());
  std::uint64_t last = 0;
  for (const std::uint64_t bytes : ordered) {
    dictionary.append(bytes - std::exchange(last, bytes));
    place.emplace(bytes, place.size());
  }
  for (const StreamAllocation& allocation : stream.allocations) indices.append(place.at(allocation.bytes));
  return {dictionary.bytes(), indices.bytes()};
}

std::string site_rows(const BlockSites& sites) {
  NumberColumn column;
  for (const BlockSite& site : sites.sites) {
    column.append(static_cast<std::uint64_t>(site.category));
    for (const std::uint32_t word : site.words()) column.append(word);
  }
  return column.bytes();
}

std::string numbers(const std::vector<std::uint32_t>& list) {
  NumberColumn column;
  for (const std::uint32_t number : list) column.append(number);
  return column.bytes();
}

// From which state on how much is reserved, both as differences.
std::string reserved(const Facts& facts, const EventStream& stream) {
  NumberColumn column;
  std::size_t last_state = 0;
  std::uint64_t last_bytes = 0;
  for (const analysis::ReservedPoint& point : facts.reserved) {
    const std::size_t state = std::max(stream.state_before(point.sequence), last_state);
    column.append(state - last_state);
    column.append_signed(static_cast<std::int64_t>(point.bytes - last_bytes));
    last_state = state;
    last_bytes = point.bytes;
  }
  return column.bytes();
}

std::string json_of(const std::vector<std::string>& texts) {
  return nlohmann::json(texts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

EventColumns event_columns(const Facts& facts, const EventStream& stream, std::int64_t begin_ns) {
  EventColumns columns;
  columns.tick_ns = stream.events.size() <= kExactTimes ? 1 : kCoarseTickNs;
  const BlockSites sites = block_sites(facts, stream);
  const StackTexts stacks = stack_texts(facts, stream);
  Sizes size = sizes(stream);
  columns.sections = {{"times", times(stream, begin_ns, columns.tick_ns)},
                      {"references", references(stream)},
                      {"sizes", std::move(size.dictionary)},
                      {"size_of", std::move(size.indices)},
                      {"sites", site_rows(sites)},
                      {"site_of", numbers(sites.site_of)},
                      {"texts", json_of(sites.texts)},
                      {"reserved", reserved(facts, stream)},
                      {"stacks", json_of(stacks.texts)},
                      {"stack_of", numbers(stacks.stack_of)}};
  return columns;
}

std::string EventColumns::packed() const {
  std::string all;
  for (const Section& section : sections) all += section.bytes;
  return base64(deflated(all));
}

nlohmann::json EventColumns::directory(const EventStream& stream) const {
  auto lengths = nlohmann::json::array();
  for (const Section& section : sections) {
    auto length = nlohmann::json::array();
    length.push_back(section.name);
    length.push_back(section.bytes.size());
    lengths.push_back(std::move(length));
  }
  nlohmann::json data;
  data["sections"] = std::move(lengths);
  data["count"] = stream.events.size();
  data["allocations"] = stream.allocations.size();
  data["recorded"] = stream.recorded_events;
  data["tick_ns"] = tick_ns;
  data["exact_begin"] = stream.exact_begin;
  data["exact_end"] = stream.exact_end;
  return data;
}

}  // namespace strata::report
