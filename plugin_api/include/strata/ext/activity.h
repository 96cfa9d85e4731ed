/* strata.activity/1: what a device did, told after the fact: kernels, copies, synchronisations. */
#ifndef STRATA_EXT_ACTIVITY_H
#define STRATA_EXT_ACTIVITY_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_ACTIVITY "strata.activity/1"

#define STRATA_ACTIVITY_KERNEL 1u
#define STRATA_ACTIVITY_COPY 2u
#define STRATA_ACTIVITY_SET 3u
#define STRATA_ACTIVITY_SYNCHRONIZE 4u
#define STRATA_ACTIVITY_API 5u
#define STRATA_ACTIVITY_OVERHEAD 6u

typedef struct strata_activity_event {
  uint32_t struct_size;
  uint32_t kind; /* STRATA_ACTIVITY_* */
  strata_name name;
  strata_device device;
  uint64_t stream;
  uint64_t correlation;     /* joins a device activity with the API call that caused it; 0: none */
  uint64_t op;              /* ordinal of the op under which it was launched, or STRATA_NONE */
  int64_t begin_ns, end_ns; /* on the clock of `strata_when.monotonic_ns` */
  uint64_t bytes;           /* COPY and SET; else 0 */
  uint32_t modelled;        /* 1 when a dry device computed the times */
  uint32_t reserved;
} strata_activity_event;

typedef struct strata_activity_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [cupti] `when` is the moment of delivery: the activity's own times are in the event. */
  void (*on_activity)(void* self, const strata_when* when, const strata_activity_event* activity);
} strata_activity_listener;

#ifdef __cplusplus
}
#endif

#endif
