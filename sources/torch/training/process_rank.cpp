// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/process_rank.hpp"

#include <cstdlib>

#include <atomic>
#include <charconv>
#include <string_view>
#include <system_error>

#include "strata/ext/store.h"
#include "strata/table.hpp"

namespace strata::torch_source {

// Not in the unnamed namespace, as MemoryReport's rows.
struct RankRow {
  std::uint32_t rank;
};

namespace {

constexpr std::int64_t kNone = -1;
std::atomic<std::int64_t> noted{kNone};

std::optional<std::uint32_t> number_in(const char* variable) {
  const char* const value = secure_getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::string_view text = value;
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Table<RankRow> rank_table(const Host& host) {
  return {host,
          "rank",
          "the rank of this process, if the program set it after the process began",
          {STRATA_COLUMN(RankRow, rank, STRATA_COLUMN_UINT32, "", "from 0")}};
}

}  // namespace

void note_rank(std::uint32_t rank) {
  noted = rank;
}

std::optional<std::uint32_t> process_rank() {
  const std::int64_t rank = noted;
  return rank == kNone ? number_in("RANK") : static_cast<std::uint32_t>(rank);
}

void forget_rank() {
  noted = kNone;
}

bool has_launchers_rank() {
  return number_in("RANK") && number_in("WORLD_SIZE");
}

void report_rank(const Host& host, std::uint32_t rank) {
  if (host.service<strata_store_service>(STRATA_EXT_STORE) == nullptr) return;
  rank_table(host).append({.rank = rank});
}

}  // namespace strata::torch_source
