/* SPDX-License-Identifier: Apache-2.0 */
/* strata.flush/1: the last chance to write. For plugins that hold data not yet in the run store, and for
 * sources that hold events not yet delivered to plugins. Sources are flushed first, while their events still
 * reach plugins. Other threads may be inside an event at the same time. */
#ifndef STRATA_EXT_FLUSH_H
#define STRATA_EXT_FLUSH_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_FLUSH "strata.flush/1"

#define STRATA_FLUSH_WINDOW_END 1u
#define STRATA_FLUSH_RUN_END 2u
#define STRATA_FLUSH_EXITING 3u /* [exiting]: device calls are no longer allowed */

typedef struct strata_flush_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [loop-thread] or [exiting]. Must return before `deadline_ns` on CLOCK_MONOTONIC; later data is lost. */
  void (*flush)(void* self, uint32_t reason, int64_t deadline_ns);
} strata_flush_listener;

#ifdef __cplusplus
}
#endif

#endif
