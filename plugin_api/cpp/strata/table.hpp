// SPDX-License-Identifier: Apache-2.0
// A typed table in the run store: each row is a value of one plain struct.
//
// clang-format off
//   struct PhaseRow { std::uint64_t step; std::int64_t duration_ns; };
//   strata::Table<PhaseRow> table(
//       host, "phase", "one phase of one step",
//       {STRATA_COLUMN(PhaseRow, step, STRATA_COLUMN_UINT64, "", "index of the step"),
//        STRATA_COLUMN(PhaseRow, duration_ns, STRATA_COLUMN_INT64, "ns", "begin to end")});
//   table.append({when.step, 1500});
// clang-format on
#pragma once

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "strata/ext/store.h"
#include "strata/host.hpp"

namespace strata {

template <typename Row>
class Table {
  static_assert(std::is_trivially_copyable_v<Row> && std::is_standard_layout_v<Row>,
                "rows are copied byte by byte");
  static_assert(sizeof(Row) <= 4096, "a row has at most 4096 bytes");

 public:
  // [loop-thread] In the plugin's constructor or at the run's begin. Throws std::runtime_error if the host
  // rejects the table or keeps no store (a run without a directory): the plugin is then disabled with that
  // reason. `thin` is STRATA_THIN_*.
  Table(const Host& host, const char* name, const char* help, std::initializer_list<strata_column> columns,
        std::uint32_t thin = STRATA_THIN_NEVER)
      : host_(host.abi()), store_(host.service<strata_store_service>(STRATA_EXT_STORE)) {
    if (store_ == nullptr)
      throw std::runtime_error("this run keeps no store: it was opened without a directory");
    const strata_table table = {sizeof(strata_table), static_cast<std::uint32_t>(sizeof(Row)),    name, help,
                                columns.begin(),      static_cast<std::uint32_t>(columns.size()), thin};
    handle_ = store_->declare(host_, &table);
    if (handle_ == 0)
      throw std::runtime_error(std::string("the host refused the table '") + name + "' (see the log)");
  }

  // [any] [alloc-lock] False if the row was dropped and counted.
  bool append(const Row& row) const noexcept { return store_->append(host_, handle_, &row) != 0; }

  // [any] not [alloc-lock] The id of a text, for columns of type STRATA_COLUMN_STRING.
  std::uint32_t intern(std::string_view text) const noexcept {
    return store_->intern(host_, text.data(), text.size());
  }

 private:
  const strata_host* host_;
  const strata_store_service* store_;
  std::uint32_t handle_ = 0;
};

}  // namespace strata
