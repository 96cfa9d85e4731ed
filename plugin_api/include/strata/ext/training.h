/* SPDX-License-Identifier: Apache-2.0 */
/* strata.training/1: what a source sees of a training loop in which nobody marks steps and phases.
 *
 * Given only to what declared STRATA_DESCRIPTOR_SOURCE, and only in a session that concludes steps and phases
 * itself: null in all others. What is told is evidence and no phase: the host concludes, and says in
 * `strata_phase_info.inferred` that it did. */
#ifndef STRATA_EXT_TRAINING_H
#define STRATA_EXT_TRAINING_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_TRAINING "strata.training/1"

/* An operator of a forward begins, outside of backward: autograd records it, or it is a layer's. */
#define STRATA_TRAINING_FORWARD 1u
/* Autograd runs a graph, and none before it on any thread; and has run it, or given it up. */
#define STRATA_TRAINING_BACKWARD_BEGIN 2u
#define STRATA_TRAINING_BACKWARD_END 3u
/* In backward, operators that autograd records begin, as checkpointing repeats them; and have ended. */
#define STRATA_TRAINING_RECOMPUTE_BEGIN 4u
#define STRATA_TRAINING_RECOMPUTE_END 5u
/* A range that the program named (`name`) begins or ends: PyTorch names optimizers' steps and data loaders'.
 */
#define STRATA_TRAINING_RANGE_BEGIN 6u
#define STRATA_TRAINING_RANGE_END 7u
/* Outside of backward an operator that autograd does not record is about to write into a parameter; and has
 * written. */
#define STRATA_TRAINING_PARAMETER_WRITE_BEGIN 8u
#define STRATA_TRAINING_PARAMETER_WRITE_END 9u

typedef struct strata_training_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] not [alloc-lock]. `what`: STRATA_TRAINING_*. `name` of a range, valid for the call; else "".
   * Returns STRATA_TRAINING_WATCH_* bits: what to tell of from here on, until the next answer. */
  uint32_t (*tell)(const strata_host* host, uint32_t what, const char* name, size_t name_bytes);
} strata_training_service;

/* Backward and named ranges are told always. */
#define STRATA_TRAINING_WATCH_FORWARD 1u          /* STRATA_TRAINING_FORWARD, which costs each operator */
#define STRATA_TRAINING_WATCH_PARAMETER_WRITES 2u /* STRATA_TRAINING_PARAMETER_WRITE_*, likewise */

#ifdef __cplusplus
}
#endif

#endif
