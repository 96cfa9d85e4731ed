/* SPDX-License-Identifier: Apache-2.0 */
/* strata.clock/1: the run's only clock. */
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
  /* [any] Returns CLOCK_MONOTONIC in nanoseconds. */
  int64_t (*monotonic_ns)(const strata_host* host);
  /* [any] Converts a time of CLOCK_MONOTONIC to nanoseconds since 1970, using the host's nearest pair of
   * clock samples. */
  int64_t (*to_realtime_ns)(const strata_host* host, int64_t monotonic_ns);
} strata_clock_service;

#ifdef __cplusplus
}
#endif

#endif
