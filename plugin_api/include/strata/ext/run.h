/* SPDX-License-Identifier: Apache-2.0 */
/* strata.run/1: the life of one training run in this process. */
#ifndef STRATA_EXT_RUN_H
#define STRATA_EXT_RUN_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_RUN "strata.run/1"

/* How a run ended. */
#define STRATA_RUN_DONE 0u
#define STRATA_RUN_FAILED 1u      /* an exception left the loop */
#define STRATA_RUN_INTERRUPTED 2u /* SIGINT or SIGTERM, handled */
#define STRATA_RUN_OUT_OF_MEMORY 3u
#define STRATA_RUN_EXITED 4u /* the process called exit() during the run */

typedef struct strata_run_info {
  uint32_t struct_size;
  uint32_t rank, world_size;
  uint32_t pid;
  const char* name;      /* the configuration's `name` */
  const char* directory; /* the run directory; to write files use strata.artifact/1 */
} strata_run_info;

typedef struct strata_run_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [loop-thread] Before the model exists: all later allocations can be seen. If a plugin finds here that it
   * cannot work, it reports that with STRATA_LOG_PLUGIN_FAILED. */
  void (*begin)(void* self, const strata_when* when, const strata_run_info* run);
  /* [loop-thread] Model and optimizer are built; step 0 follows. */
  void (*ready)(void* self, const strata_when* when);
  /* [loop-thread], or [exiting] if `reason` is STRATA_RUN_EXITED. `reason` is STRATA_RUN_*. Called if and
   * only if `begin` was called, after all synthetic ends. */
  void (*end)(void* self, const strata_when* when, uint32_t reason);
} strata_run_listener;

#ifdef __cplusplus
}
#endif

#endif
