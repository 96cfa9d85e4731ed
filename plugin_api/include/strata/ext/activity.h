/* SPDX-License-Identifier: Apache-2.0 */
/* strata.activity/1: device activities, reported after they have happened: kernels, copies, synchronisations.
 */
#ifndef STRATA_EXT_ACTIVITY_H
#define STRATA_EXT_ACTIVITY_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_ACTIVITY "strata.activity/1"

/* The kinds. KERNEL, COPY, SET and GRAPH belong to the device's timeline, the others to the calling thread's.
 * A graph launch is reported either as a whole (GRAPH) or node by node (KERNEL, COPY and SET with `graph`
 * set), never both ways. */
#define STRATA_ACTIVITY_KERNEL 1u
#define STRATA_ACTIVITY_COPY 2u
#define STRATA_ACTIVITY_SET 3u
#define STRATA_ACTIVITY_SYNCHRONIZE 4u
#define STRATA_ACTIVITY_API 5u      /* a call of the runtime or the driver; `name` is the function */
#define STRATA_ACTIVITY_OVERHEAD 6u /* time spent by the driver or the profiler itself */
#define STRATA_ACTIVITY_GRAPH 7u
#define STRATA_ACTIVITY_MEMORY 8u /* device memory allocated or freed outside the framework's allocators */
#define STRATA_ACTIVITY_MODULE 9u /* device code was loaded; `bytes` is its size; no duration */
#define STRATA_ACTIVITY_JIT 10u   /* device code was compiled, or read from the cache of compiled code */

/* `detail` of a COPY: source and destination. */
#define STRATA_COPY_OTHER 0u
#define STRATA_COPY_HOST_TO_DEVICE 1u
#define STRATA_COPY_DEVICE_TO_HOST 2u
#define STRATA_COPY_DEVICE_TO_DEVICE 3u
#define STRATA_COPY_HOST_TO_HOST 4u
#define STRATA_COPY_PEER_TO_PEER 5u
/* Flag: the host memory was pageable, so the copy was made in pieces. */
#define STRATA_COPY_PAGEABLE 0x100u

/* `detail` of a SYNCHRONIZE: what is waited for. */
#define STRATA_SYNCHRONIZE_OTHER 0u
#define STRATA_SYNCHRONIZE_EVENT 1u
#define STRATA_SYNCHRONIZE_STREAM_WAITS_EVENT 2u /* a stream waits, not the host */
#define STRATA_SYNCHRONIZE_STREAM 3u
#define STRATA_SYNCHRONIZE_CONTEXT 4u

/* `detail` of an API. */
#define STRATA_API_RUNTIME 1u
#define STRATA_API_DRIVER 2u
/* Flag: the call launches a kernel or a graph, so an activity with its correlation will follow. */
#define STRATA_API_LAUNCHES 0x100u

/* `detail` of an OVERHEAD. */
#define STRATA_OVERHEAD_OTHER 0u
#define STRATA_OVERHEAD_COMPILER 1u
#define STRATA_OVERHEAD_BUFFER_FLUSH 2u
#define STRATA_OVERHEAD_INSTRUMENTATION 3u
#define STRATA_OVERHEAD_RESOURCE 4u
#define STRATA_OVERHEAD_MODULE_LOADING 5u   /* a module loaded because a runtime call needed it */
#define STRATA_OVERHEAD_FUNCTION_LOADING 6u /* a kernel's code, at its first launch */
#define STRATA_OVERHEAD_COMMAND_BUFFER_FULL 7u
#define STRATA_OVERHEAD_ACTIVITY_BUFFER 8u

/* `detail` of a MEMORY. */
#define STRATA_DEVICE_MEMORY_ALLOCATE 1u
#define STRATA_DEVICE_MEMORY_RELEASE 2u
/* Changes of the pool itself; `bytes` is its size. */
#define STRATA_DEVICE_MEMORY_POOL_MADE 3u
#define STRATA_DEVICE_MEMORY_POOL_DESTROYED 4u
#define STRATA_DEVICE_MEMORY_POOL_TRIMMED 5u
/* Flag: within a memory pool. */
#define STRATA_DEVICE_MEMORY_POOL 0x100u

/* `detail` of a JIT. */
#define STRATA_JIT_COMPILE 1u
#define STRATA_JIT_CACHE_LOAD 2u
#define STRATA_JIT_CACHE_STORE 3u

/* Fields that are not defined for a kind are 0. */
typedef struct strata_activity_event {
  uint32_t struct_size;
  uint32_t kind; /* STRATA_ACTIVITY_* */
  strata_name name;
  strata_device device;
  uint64_t stream;          /* CUPTI's stream number, within the context */
  uint64_t correlation;     /* joins a device activity to the API call that caused it; 0: none */
  uint64_t op;              /* ordinal of the op that was open at the call, or STRATA_NONE */
  int64_t begin_ns, end_ns; /* on the clock of `strata_when.monotonic_ns` */
  uint64_t bytes;           /* COPY, SET, MEMORY and MODULE */
  uint32_t modelled;        /* 1 when a dry device computed the times */
  uint32_t detail;          /* depends on `kind`, see above */
  uint32_t phase;           /* ordinal of the phase that was open at the call, or STRATA_NONE */
  uint32_t module;          /* ordinal of the module range open at the call, or STRATA_NONE */
  uint32_t thread;          /* the OS thread id of the caller; 0 for a device activity: see its API call */
  uint32_t context;         /* CUPTI's context number */
  uint64_t graph;      /* GRAPH and activities of its nodes: the graph's number; 0: not part of a graph */
  uint64_t graph_node; /* activity of a node: the node's number */
  uint64_t address;    /* MEMORY */
  uint32_t grid[3], block[3];                         /* KERNEL: launch dimensions */
  uint32_t registers;                                 /* KERNEL: per thread */
  uint32_t static_shared_bytes, dynamic_shared_bytes; /* KERNEL: per block */
  uint32_t reserved;
} strata_activity_event;

typedef struct strata_activity_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [cupti] `when` is the time of delivery; the activity's own times are in the event. */
  void (*on_activity)(void* self, const strata_when* when, const strata_activity_event* activity);
} strata_activity_listener;

#ifdef __cplusplus
}
#endif

#endif
