// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "host/analysis/allocator/places.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::Place;
using analysis::PlaceShare;

constexpr std::size_t kListedPlaces = 8;

std::uint64_t free_bytes(const PlaceShare& share) {
  return *share.reserved_bytes - std::min(*share.reserved_bytes, share.allocated_bytes);
}

}  // namespace

std::string place_name(const Place& place) {
  std::string stream = place.stream == 0 ? "default stream" : fmt::format("stream {:#x}", place.stream);
  if (place.pool == 0) return stream;
  // A capture's pool has its number above, that of a program's handle below.
  const std::uint64_t captured = place.pool >> 32;
  return captured != 0 ? fmt::format("graph's pool {}, {}", captured, stream)
                       : fmt::format("pool {}, {}", place.pool, stream);
}

std::string place_table(const std::vector<PlaceShare>& shares, const TerminalStyle& style) {
  if (shares.size() < 2) return {};
  std::uint64_t most = 0;
  for (const PlaceShare& share : shares)
    most = std::max({most, share.allocated_bytes, share.reserved_bytes.value_or(0)});
  const int decimals = decimals_for(static_cast<double>(most));
  const int name_columns = style.width - 2 - 3 * 12 - 10;
  const auto amount = [&](std::optional<std::uint64_t> bytes) {
    return bytes ? mebibytes(static_cast<double>(*bytes), decimals) : std::string("unknown");
  };
  std::string text =
      style.heading(fmt::format("{:<{}}{:>12}{:>12}{:>12}{:>10}", "At the peak, by stream and pool",
                                name_columns + 2, "reserved MiB", "allocated", "free", "blocks"));
  text += '\n';
  for (const PlaceShare& share : std::span(shares).first(std::min(shares.size(), kListedPlaces))) {
    const auto free = share.reserved_bytes ? std::optional(free_bytes(share)) : std::nullopt;
    text += fmt::format("  {}{:>12}{:>12}{:>12}{:>10}\n", fitted(place_name(share.place), name_columns),
                        amount(share.reserved_bytes), amount(share.allocated_bytes), amount(free),
                        thousands(share.blocks));
  }
  if (shares.size() > kListedPlaces) text += fmt::format("  and {} more\n", shares.size() - kListedPlaces);
  if (const auto elsewhere = analysis::free_elsewhere(shares); elsewhere && *elsewhere > 0) {
    text +=
        wrapped(fmt::format("{} MiB are reserved and free in others than the first: what a stream or a pool "
                            "has free, no other can use.",
                            amount(*elsewhere)),
                2, style.width);
  }
  return text;
}

}  // namespace strata::report
