/* SPDX-License-Identifier: Apache-2.0 */
/* strata.activity/1: what a device did, told after the fact: kernels, copies, synchronisations. */
#ifndef STRATA_EXT_ACTIVITY_H
#define STRATA_EXT_ACTIVITY_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_ACTIVITY "strata.activity/1"

/* What was done, and on which clock hand it lies: KERNEL, COPY, SET and GRAPH on the device's, the others on
 * the calling thread's. A graph is launched whole (GRAPH) or told node by node (KERNEL, COPY and SET with
 * `graph` set), never both ways. */
#define STRATA_ACTIVITY_KERNEL 1u
#define STRATA_ACTIVITY_COPY 2u
#define STRATA_ACTIVITY_SET 3u
#define STRATA_ACTIVITY_SYNCHRONIZE 4u
#define STRATA_ACTIVITY_API 5u      /* a call of the runtime or the driver; `name` is the function's */
#define STRATA_ACTIVITY_OVERHEAD 6u /* time that is the driver's or the profiler's own */
#define STRATA_ACTIVITY_GRAPH 7u
#define STRATA_ACTIVITY_MEMORY \
  8u /* device memory got or given back by whom no allocator of a framework sees */
#define STRATA_ACTIVITY_MODULE 9u /* device code became loaded; `bytes` is its size, and it has no length */
#define STRATA_ACTIVITY_JIT 10u   /* device code was compiled, or read from the cache of compiled code */

/* `detail` of a COPY: from where to where. */
#define STRATA_COPY_OTHER 0u
#define STRATA_COPY_HOST_TO_DEVICE 1u
#define STRATA_COPY_DEVICE_TO_HOST 2u
#define STRATA_COPY_DEVICE_TO_DEVICE 3u
#define STRATA_COPY_HOST_TO_HOST 4u
#define STRATA_COPY_PEER_TO_PEER 5u
/* Added to one of these: the host's side of it was pageable, so that the copy was made in pieces. */
#define STRATA_COPY_PAGEABLE 0x100u

/* `detail` of a SYNCHRONIZE: what was waited for. */
#define STRATA_SYNCHRONIZE_OTHER 0u
#define STRATA_SYNCHRONIZE_EVENT 1u
#define STRATA_SYNCHRONIZE_STREAM_WAITS_EVENT 2u /* a stream waits, not the host */
#define STRATA_SYNCHRONIZE_STREAM 3u
#define STRATA_SYNCHRONIZE_CONTEXT 4u

/* `detail` of an API. */
#define STRATA_API_RUNTIME 1u
#define STRATA_API_DRIVER 2u
/* Added: it launches a kernel or a graph, so that an activity of its correlation is owed. */
#define STRATA_API_LAUNCHES 0x100u

/* `detail` of an OVERHEAD. */
#define STRATA_OVERHEAD_OTHER 0u
#define STRATA_OVERHEAD_COMPILER 1u
#define STRATA_OVERHEAD_BUFFER_FLUSH 2u
#define STRATA_OVERHEAD_INSTRUMENTATION 3u
#define STRATA_OVERHEAD_RESOURCE 4u
#define STRATA_OVERHEAD_MODULE_LOADING 5u   /* a module that a call of the runtime made necessary */
#define STRATA_OVERHEAD_FUNCTION_LOADING 6u /* a kernel's code, at its first launch */
#define STRATA_OVERHEAD_COMMAND_BUFFER_FULL 7u
#define STRATA_OVERHEAD_ACTIVITY_BUFFER 8u

/* `detail` of a MEMORY. */
#define STRATA_DEVICE_MEMORY_ALLOCATE 1u
#define STRATA_DEVICE_MEMORY_RELEASE 2u
/* Of the pool itself, whose size `bytes` is then. */
#define STRATA_DEVICE_MEMORY_POOL_MADE 3u
#define STRATA_DEVICE_MEMORY_POOL_DESTROYED 4u
#define STRATA_DEVICE_MEMORY_POOL_TRIMMED 5u
/* Added: within a memory pool. */
#define STRATA_DEVICE_MEMORY_POOL 0x100u

/* `detail` of a JIT. */
#define STRATA_JIT_COMPILE 1u
#define STRATA_JIT_CACHE_LOAD 2u
#define STRATA_JIT_CACHE_STORE 3u

/* Everything that is not said of a kind is 0 in it. */
typedef struct strata_activity_event {
  uint32_t struct_size;
  uint32_t kind; /* STRATA_ACTIVITY_* */
  strata_name name;
  strata_device device;
  uint64_t stream;          /* CUPTI's number of it, within the context */
  uint64_t correlation;     /* joins a device activity with the API call that caused it; 0: none */
  uint64_t op;              /* ordinal of the op under which it was called, or STRATA_NONE */
  int64_t begin_ns, end_ns; /* on the clock of `strata_when.monotonic_ns` */
  uint64_t bytes;           /* COPY, SET, MEMORY and MODULE */
  uint32_t modelled;        /* 1 when a dry device computed the times */
  uint32_t detail;          /* by kind, above */
  uint32_t phase;           /* ordinal of the phase under which it was called, or STRATA_NONE */
  uint32_t module;          /* the same of the module range */
  uint32_t thread;     /* the OS's id of the calling thread; of a device's activity 0: its API call has it */
  uint32_t context;    /* CUPTI's number of the context */
  uint64_t graph;      /* the graph's number, of a GRAPH and of a node's activity; 0: not of a graph */
  uint64_t graph_node; /* of a node's activity */
  uint64_t address;    /* MEMORY */
  uint32_t grid[3], block[3];                         /* KERNEL: its launch */
  uint32_t registers;                                 /* KERNEL: a thread's */
  uint32_t static_shared_bytes, dynamic_shared_bytes; /* KERNEL: a block's */
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
