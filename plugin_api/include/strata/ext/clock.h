/* SPDX-License-Identifier: Apache-2.0 */
/* strata.clock/1: the one clock of a run. */
#ifndef STRATA_EXT_CLOCK_H
#define STRATA_EXT_CLOCK_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_CLOCK "strata.clock/1"

typedef struct strata_clock_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] CLOCK_MONOTONIC in nanoseconds. */
  int64_t (*monotonic_ns)(const strata_host* host);
  /* [any] A moment of CLOCK_MONOTONIC as nanoseconds since 1970, by the nearest pair of samples the host
   * took. */
  int64_t (*to_realtime_ns)(const strata_host* host, int64_t monotonic_ns);
} strata_clock_service;

#ifdef __cplusplus
}
#endif

#endif
