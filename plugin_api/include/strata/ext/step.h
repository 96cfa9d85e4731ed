/* SPDX-License-Identifier: Apache-2.0 */
/* strata.step/1: one optimizer step, including its micro-batches. */
#ifndef STRATA_EXT_STEP_H
#define STRATA_EXT_STEP_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_STEP "strata.step/1"

/* The step's place in the schedule wait / warmup / active. */
#define STRATA_STEP_WAIT 0u
#define STRATA_STEP_WARMUP 1u
#define STRATA_STEP_ACTIVE 2u

/* The trainer does not count epochs. */
#define STRATA_NO_EPOCH UINT64_MAX

typedef struct strata_step_info {
  uint32_t struct_size;
  uint32_t schedule; /* STRATA_STEP_* */
  uint64_t index;
  uint32_t micro_batches; /* how many the step will have; 0 if the trainer does not know */
  uint32_t reserved;
  uint64_t epoch; /* of the step's first sample, from 0; or STRATA_NO_EPOCH */
} strata_step_info;

/* Known once the step is over. Fields that were not measured are NaN or 0. */
typedef struct strata_step_result {
  uint32_t struct_size;
  uint32_t optimizer_ran; /* 0 or 1 */
  double loss;            /* mean over the micro-batches, before the update; NaN when unknown */
  uint64_t tokens;        /* or samples, if there are no tokens */
} strata_step_result;

typedef struct strata_step_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [loop-thread] The host keeps the result and passes it to `end`. */
  uint64_t (*begin)(void* self, const strata_when* when, const strata_step_info* step);
  /* [loop-thread] Called if and only if `begin` was called. After an exception the host makes up this end,
   * with `result->optimizer_ran` 0. */
  void (*end)(void* self, const strata_when* when, const strata_step_info* step,
              const strata_step_result* result, uint64_t token);
} strata_step_listener;

#ifdef __cplusplus
}
#endif

#endif
