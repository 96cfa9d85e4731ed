// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/store_outline.hpp"

namespace strata::analysis {
namespace {

bool holds_row(const StoreFile& file, const char* table, const char* column) {
  return file.has_table(table) && Query(file, table, {column}).next();
}

}  // namespace

StoreOutline outline_of(const StoreFile& file) {
  StoreOutline outline;
  outline.holds_anything = file.has_table("allocator_tracer_event")
                               ? holds_row(file, "allocator_tracer_event", "sequence")
                               : holds_row(file, "cupti_timeline_op", "op");
  if (file.has_table("host_step_end")) {
    for (Query steps(file, "host_step_end", {"step"}); steps.next();) ++outline.steps;
  }
  return outline;
}

}  // namespace strata::analysis
