/* SPDX-License-Identifier: Apache-2.0 */
/* strata.flush/1: now or never. For plugins that hold what the run store has not seen, and for sources that
 * hold what the plugins have not: sources are flushed first, while their events still pass, and while threads
 * may be inside one. */
#ifndef STRATA_EXT_FLUSH_H
#define STRATA_EXT_FLUSH_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_FLUSH "strata.flush/1"

#define STRATA_FLUSH_WINDOW_END 1u
#define STRATA_FLUSH_RUN_END 2u
#define STRATA_FLUSH_EXITING 3u /* [exiting]: no device call any more */

typedef struct strata_flush_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [loop-thread] or [exiting]. Return before `deadline_ns` on CLOCK_MONOTONIC; what is late is lost. */
  void (*flush)(void* self, uint32_t reason, int64_t deadline_ns);
} strata_flush_listener;

#ifdef __cplusplus
}
#endif

#endif
