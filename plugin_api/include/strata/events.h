/* SPDX-License-Identifier: Apache-2.0 */
/* The part common to all events: order, time, and position in the training step. */
#ifndef STRATA_EVENTS_H
#define STRATA_EVENTS_H

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The step index outside any step, and the ordinal that means "none". */
#define STRATA_NO_STEP UINT64_MAX
#define STRATA_NONE 0u

/* A string interned by the host. `id` is its row in the run store; `text` is NUL-terminated and lives until
 * the run ends. The receiver never frees it. Without a name, id is 0 and `text` is "", never null. */
typedef struct strata_name {
  const char* text;
  uint32_t id;
  uint32_t reserved;
} strata_name;

/* Where a tensor or an allocation lives. Values follow DLPack's DLDeviceType for the devices in both. */
#define STRATA_DEVICE_CPU 1u
#define STRATA_DEVICE_CUDA 2u
#define STRATA_DEVICE_CUDA_HOST 3u /* pinned host memory */

typedef struct strata_device {
  uint32_t type;
  int32_t index; /* 0 for the CPU */
} strata_device;

/* The circumstances of one event. The host fills them in; they are valid for the call only.
 *
 * `sequence` is the session's order over all threads: strictly increasing, one number per event. Use it, not
 * `monotonic_ns`, to order two events on one address: two threads may read the clock in the other order.
 *
 * `step`, `micro_batch` and `phase` are those of the loop thread at that moment, also for events of other
 * threads. `op` and `module` are the innermost ones open on the event's own thread. At the begin and the end
 * of a phase, an op or a module, these fields name the enclosing one; the begin and the end of a step carry
 * that step. */
typedef struct strata_when {
  uint32_t struct_size;
  uint32_t thread;      /* the OS thread id */
  uint64_t sequence;    /* from 1 */
  int64_t monotonic_ns; /* CLOCK_MONOTONIC */
  uint64_t step;        /* from 0, or STRATA_NO_STEP */
  uint32_t micro_batch; /* from 0 within the step */
  uint32_t phase;       /* ordinal of the innermost open phase, from 1 in a run; STRATA_NONE outside */
  uint64_t op;          /* ordinal of the innermost open op, unique in a run; STRATA_NONE outside */
  uint32_t module;      /* ordinal of the innermost open module range; STRATA_NONE outside */
  uint32_t reserved;
} strata_when;

#ifdef __cplusplus
}
#endif

#endif
