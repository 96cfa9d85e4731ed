/* SPDX-License-Identifier: Apache-2.0 */
/* What every event carries: its order, its time, and where in the training step it fell. */
#ifndef STRATA_EVENTS_H
#define STRATA_EVENTS_H

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A step index outside any step, and an ordinal that names nothing. */
#define STRATA_NO_STEP UINT64_MAX
#define STRATA_NONE 0u

/* A string the host has interned: `id` is its row in the run store, `text` is NUL-terminated and lives until
 * the run ends. Never freed by the receiver. An unnamed thing has id 0 and an empty text, never a null one.
 */
typedef struct strata_name {
  const char* text;
  uint32_t id;
  uint32_t reserved;
} strata_name;

/* Where a tensor or an allocation lives. Values follow DLPack's DLDeviceType for what both know. */
#define STRATA_DEVICE_CPU 1u
#define STRATA_DEVICE_CUDA 2u
#define STRATA_DEVICE_CUDA_HOST 3u /* pinned host memory */

typedef struct strata_device {
  uint32_t type;
  int32_t index; /* 0 for the CPU */
} strata_device;

/* The circumstances of one event, filled in by the host and valid for the call only.
 *
 * `sequence` is the session's own order over all threads: strictly increasing, one number an event. Two
 * events on one address are ordered by it and not by `monotonic_ns`, which two threads may read in the other
 * order.
 *
 * `step`, `micro_batch` and `phase` are the loop thread's at that moment, also for events of other threads.
 * `op` and `module` are the innermost ones open on the event's own thread. The begin and the end of a phase,
 * an op or a module name here what encloses it; those of a step carry that step. */
typedef struct strata_when {
  uint32_t struct_size;
  uint32_t thread;      /* the OS's thread id */
  uint64_t sequence;    /* 1 and up */
  int64_t monotonic_ns; /* CLOCK_MONOTONIC */
  uint64_t step;        /* 0 and up, or STRATA_NO_STEP */
  uint32_t micro_batch; /* 0 and up within the step */
  uint32_t phase;       /* ordinal of the innermost open phase, 1 and up in a run; STRATA_NONE outside */
  uint64_t op;          /* ordinal of the innermost open op, unique in a run; STRATA_NONE outside */
  uint32_t module;      /* ordinal of the innermost open module range; STRATA_NONE outside */
  uint32_t reserved;
} strata_when;

#ifdef __cplusplus
}
#endif

#endif
