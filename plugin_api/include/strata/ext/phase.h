/* SPDX-License-Identifier: Apache-2.0 */
/* strata.phase/1: the parts of a step. Phases nest. Only the loop thread opens and closes them. */
#ifndef STRATA_EXT_PHASE_H
#define STRATA_EXT_PHASE_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_PHASE "strata.phase/1"

#define STRATA_PHASE_OTHER 0u /* identified by its name only */
#define STRATA_PHASE_SETUP 1u /* building model and optimizer, before step 0 */
#define STRATA_PHASE_DATA 2u
#define STRATA_PHASE_HOST_TO_DEVICE 3u
#define STRATA_PHASE_FORWARD 4u
#define STRATA_PHASE_LOSS 5u
#define STRATA_PHASE_BACKWARD 6u
#define STRATA_PHASE_GRADIENT_SYNC 7u
#define STRATA_PHASE_CLIP 8u
#define STRATA_PHASE_OPTIMIZER 9u
#define STRATA_PHASE_ZERO_GRAD 10u
#define STRATA_PHASE_CHECKPOINT_SAVE 11u
#define STRATA_PHASE_EVALUATION 12u

typedef struct strata_phase_info {
  uint32_t struct_size;
  uint32_t kind; /* STRATA_PHASE_* */
  strata_name name;
  uint32_t ordinal;  /* the value of `strata_when.phase` while it is innermost */
  uint32_t inferred; /* 1 if it was inferred and not marked by the program */
} strata_phase_info;

typedef struct strata_phase_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [loop-thread] The host keeps the result and passes it to `end`. */
  uint64_t (*begin)(void* self, const strata_when* when, const strata_phase_info* phase);
  /* [loop-thread] Called if and only if `begin` was called. */
  void (*end)(void* self, const strata_when* when, const strata_phase_info* phase, uint64_t token);
} strata_phase_listener;

#ifdef __cplusplus
}
#endif

#endif
