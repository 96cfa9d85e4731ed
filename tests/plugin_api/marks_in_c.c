/* SPDX-License-Identifier: Apache-2.0 */
/* One step of a program in C with every kind of mark. */
#include <strata/trainer.h>

void step_in_c(void);
void step_in_c(void) {
  STRATA_RUN();
  STRATA_STEP_BEGIN();
  STRATA_MICRO_BATCH(1);
  const strata_mark forward = STRATA_PHASE_BEGIN("forward");
  const strata_mark layer = STRATA_MODULE_BEGIN("layers.0", "Block");
  STRATA_MODULE_END(layer);
  STRATA_PHASE_END(forward);
  STRATA_STEP_RESULT(0.5, 8);
  STRATA_STEP_END();
}
