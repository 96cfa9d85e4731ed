// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include "host/analysis/allocator/places.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/terminal/tables.hpp"

namespace strata::report {
namespace {

constexpr std::size_t kMostPlaces = 20;

nlohmann::json number_or_null(const std::optional<std::uint64_t>& number) {
  return number ? nlohmann::json(*number) : nlohmann::json();
}

}  // namespace

nlohmann::json place_data(const analysis::MemoryFacts& facts) {
  nlohmann::json list = nlohmann::json::array();
  for (const auto& share : std::span(facts.places).first(std::min(facts.places.size(), kMostPlaces)))
    list.push_back({{"name", place_name(share.place)},
                    {"allocated", share.allocated_bytes},
                    {"reserved", number_or_null(share.reserved_bytes)},
                    {"blocks", share.blocks}});
  return {{"list", std::move(list)},
          {"free_elsewhere", number_or_null(analysis::free_elsewhere(facts.places))}};
}

}  // namespace strata::report
