// SPDX-License-Identifier: Apache-2.0
// A plugin outside Strata's tree: the loss of each step, one row a step.
#include <cstdint>

#include "strata/plugin.hpp"

namespace {

struct LossRow {
  std::uint64_t step;
  double loss;
};

class LossRecorder {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), 0, "loss_recorder", "1.0", "The loss of each step", nullptr, 0, 0};

  explicit LossRecorder(const strata::Host& host)
      : table_(host, "loss", "a step that ended",
               {STRATA_COLUMN(LossRow, step, STRATA_COLUMN_UINT64, "", "index of the step"),
                STRATA_COLUMN(LossRow, loss, STRATA_COLUMN_REAL, "", "as the trainer reported it")}) {}

  void end_step(const strata_when& when, const strata_step_info&, const strata_step_result& result,
                std::uint64_t) {
    table_.append({when.step, result.loss});
  }

 private:
  strata::Table<LossRow> table_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(LossRecorder)
