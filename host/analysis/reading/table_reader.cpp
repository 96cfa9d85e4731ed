// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/table_reader.hpp"

#include "host/analysis/recording/run_error.hpp"

namespace strata::analysis {
namespace {

// No clock runs longer (146 years), so no difference of times overflows.
constexpr std::int64_t kLatestNs = std::int64_t{1} << 62;

}  // namespace

void TableReader::read_texts() {
  each("string", Need::kExpected, {"id", "text"},
       [&](const Row& row) { text_of_id_.insert_or_assign(row.small(0), run_.texts.add(row.text(1))); });
}

void TableReader::refuse(std::string_view what) const {
  throw RunError(fmt::format("{}: {}", file_.path().string(), what));
}

std::uint32_t TableReader::text(const Row& row, int column) {
  const auto found = text_of_id_.find(row.small(column));
  if (found != text_of_id_.end()) return found->second;
  if (row.small(column) != 0) ++unknown_texts_;
  return 0;
}

std::int64_t TableReader::time_ns(const Row& row, int column) const {
  const std::int64_t ns = row.integer(column);
  if (ns < 0 || ns > kLatestNs)
    refuse(fmt::format("{} is not a valid time of CLOCK_MONOTONIC; the store is damaged", ns));
  return ns;
}

}  // namespace strata::analysis
