/* SPDX-License-Identifier: Apache-2.0 */
/* strata.emit/1: how a source hands events to the host, which numbers, times and fans them out.
 *
 * Given only to what declared STRATA_DESCRIPTOR_SOURCE. The host fills `strata_when` and the ordinals; a
 * source fills the rest of the event. Everything is valid for the call only, but names, which come from
 * `intern`. */
#ifndef STRATA_EXT_EMIT_H
#define STRATA_EXT_EMIT_H

#include "../host.h"
#include "activity.h"
#include "graph.h"
#include "memory.h"
#include "op.h"
#include "tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_EMIT "strata.emit/1"

/* Bits of `interest`: which events somebody listens to now. */
#define STRATA_INTEREST_MEMORY 1u
#define STRATA_INTEREST_OP 2u
#define STRATA_INTEREST_GRAPH 4u
#define STRATA_INTEREST_TENSOR 8u
#define STRATA_INTEREST_ACTIVITY 16u

typedef struct strata_emit_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] [alloc-lock] STRATA_INTEREST_* bits; changes at window edges. An event that nobody wants may be
   * emitted all the same: it costs a load and a branch. */
  uint32_t (*interest)(const strata_host* host);
  /* [any] not [alloc-lock]. Fills `name`, which lives until the run ends. */
  void (*intern)(const strata_host* host, const char* text, size_t bytes, strata_name* name);
  /* [any] [alloc-lock] */
  void (*memory)(const strata_host* host, const strata_memory_event* memory);
  /* [any] Opens an op on the calling thread; `ordinal` and `parent` are the host's to fill. Returns what
   * `op_end` wants. */
  uint64_t (*op_begin)(const strata_host* host, const strata_op_info* op);
  /* [any] on the thread of its begin. Ops left open above it on that thread are ended first. */
  void (*op_end)(const strata_host* host, uint64_t op);
  /* [any] */
  void (*graph)(const strata_host* host, const strata_graph_event* graph);
  void (*tensor)(const strata_host* host, const strata_tensor_event* tensor);
  void (*activity)(const strata_host* host, const strata_activity_event* activity);
  /* [loop-thread] In `create` and later: the STRATA_INTEREST_* bits of the active window, also while it is
   * not open. All plugins are created before the first source: a source whose events nobody will want need
   * not prepare anything. */
  uint32_t (*interest_in_window)(const strata_host* host);
} strata_emit_service;

#ifdef __cplusplus
}
#endif

#endif
