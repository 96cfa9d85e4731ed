// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/trainer_record.hpp"

#include <cstdint>

#include "strata/ext/store.h"
#include "strata/table.hpp"

namespace strata::torch_source {

// Not in the unnamed namespace, as MemoryReport's rows.
struct TrainerRow {
  std::uint32_t name;
};

namespace {

Table<TrainerRow> trainer_table(const Host& host) {
  return {host,
          "trainer",
          "the library whose trainer ran the steps, if it has its own names for settings",
          {STRATA_COLUMN(TrainerRow, name, STRATA_COLUMN_STRING, "",
                         "name of its package, such as transformers; libtorch: the program has no Python")}};
}

}  // namespace

void report_trainer(const Host& host, const std::string& trainer) {
  if (host.service<strata_store_service>(STRATA_EXT_STORE) == nullptr) return;
  const Table<TrainerRow> table = trainer_table(host);
  table.append({.name = table.intern(trainer)});
}

}  // namespace strata::torch_source
