/* SPDX-License-Identifier: Apache-2.0 */
/* strata.training/1: what a source observes of a training loop that has no marks for steps and phases.
 *
 * Only available to plugins that declare STRATA_DESCRIPTOR_SOURCE, in a session that infers steps and phases;
 * null in all other sessions. The source reports evidence, not phases: the host infers the phases, and sets
 * `strata_phase_info.inferred`. */
#ifndef STRATA_EXT_TRAINING_H
#define STRATA_EXT_TRAINING_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_TRAINING "strata.training/1"

/* A forward operator begins, outside of backward: one that autograd records, or one of a layer. */
#define STRATA_TRAINING_FORWARD 1u
/* Autograd begins to run a graph while no thread runs another; it has finished the graph or given it up. */
#define STRATA_TRAINING_BACKWARD_BEGIN 2u
#define STRATA_TRAINING_BACKWARD_END 3u
/* In backward, operators that autograd records begin, as when checkpointing repeats them; they have ended. */
#define STRATA_TRAINING_RECOMPUTE_BEGIN 4u
#define STRATA_TRAINING_RECOMPUTE_END 5u
/* A range named by the program (`name`) begins or ends. PyTorch names optimizer steps and data loader calls.
 */
#define STRATA_TRAINING_RANGE_BEGIN 6u
#define STRATA_TRAINING_RANGE_END 7u
/* Outside of backward, an operator that autograd does not record is about to write to a parameter; it has
 * written. */
#define STRATA_TRAINING_PARAMETER_WRITE_BEGIN 8u
#define STRATA_TRAINING_PARAMETER_WRITE_END 9u

typedef struct strata_training_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] not [alloc-lock]. `what` is STRATA_TRAINING_*. `name` is the name of a range, valid for the call;
   * otherwise "". Returns STRATA_TRAINING_WATCH_* bits: what to report until the next call returns others. */
  uint32_t (*tell)(const strata_host* host, uint32_t what, const char* name, size_t name_bytes);
} strata_training_service;

/* Backward and named ranges are always reported. */
#define STRATA_TRAINING_WATCH_FORWARD 1u          /* STRATA_TRAINING_FORWARD; costs time in every operator */
#define STRATA_TRAINING_WATCH_PARAMETER_WRITES 2u /* STRATA_TRAINING_PARAMETER_WRITE_*; likewise */

#ifdef __cplusplus
}
#endif

#endif
