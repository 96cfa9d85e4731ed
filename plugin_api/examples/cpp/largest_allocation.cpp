// SPDX-License-Identifier: Apache-2.0
// A plugin in 30 lines: docs/guide/write-a-plugin.md.
#include <atomic>
#include "strata/plugin.hpp"

struct Row {
  std::uint64_t step, bytes;
};

class LargestAllocation {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), 0, "largest_allocation", "1.0", "Largest block of each step", nullptr, 0, 0};

  explicit LargestAllocation(const strata::Host& host)
      : table_(host, "step", "a step that ended",
               {STRATA_COLUMN(Row, step, STRATA_COLUMN_UINT64, "", "its index"),
                STRATA_COLUMN(Row, bytes, STRATA_COLUMN_UINT64, "bytes", "of its largest allocation")}) {}

  void on_memory(const strata_when&, const strata_memory_event& memory) {  // on any thread
    std::uint64_t largest = largest_;
    if (memory.action == STRATA_MEMORY_ALLOCATE)
      while (largest < memory.bytes && !largest_.compare_exchange_weak(largest, memory.bytes)) continue;
  }

  void end_step(const strata_when& when, const strata_step_info&, const strata_step_result&) {
    table_.append({when.step, largest_.exchange(0)});
  }

 private:
  std::atomic<std::uint64_t> largest_{0};
  strata::Table<Row> table_;
};

STRATA_EXPORT_PLUGINS(LargestAllocation)
