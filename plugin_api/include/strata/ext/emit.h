/* SPDX-License-Identifier: Apache-2.0 */
/* strata.emit/1: a source passes events to the host, which numbers them, adds the time and delivers them.
 *
 * Only available to plugins that declare STRATA_DESCRIPTOR_SOURCE. The host fills `strata_when` and the
 * ordinals; the source fills the rest of the event. Everything is valid for the call only, except names,
 * which come from `intern`. */
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

/* Bits of `interest`: the kinds of event that any plugin listens to now. */
#define STRATA_INTEREST_MEMORY 1u
#define STRATA_INTEREST_OP 2u
#define STRATA_INTEREST_GRAPH 4u
#define STRATA_INTEREST_TENSOR 8u
#define STRATA_INTEREST_ACTIVITY 16u

typedef struct strata_emit_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] [alloc-lock] Returns STRATA_INTEREST_* bits, which change when the window opens or closes. Events
   * without a listener may still be emitted: each costs a load and a branch. */
  uint32_t (*interest)(const strata_host* host);
  /* [any] not [alloc-lock]. Interns `bytes` bytes of `text` and fills `name`, which lives until the run ends.
   */
  void (*intern)(const strata_host* host, const char* text, size_t bytes, strata_name* name);
  /* [any] [alloc-lock] */
  void (*memory)(const strata_host* host, const strata_memory_event* memory);
  /* [any] Opens an op on the calling thread. The host fills `ordinal` and `parent`. Pass the result to
   * `op_end`. */
  uint64_t (*op_begin)(const strata_host* host, const strata_op_info* op);
  /* [any] On the thread of its begin. Ends any ops still open inside it on that thread first. */
  void (*op_end)(const strata_host* host, uint64_t op);
  /* [any] */
  void (*graph)(const strata_host* host, const strata_graph_event* graph);
  void (*tensor)(const strata_host* host, const strata_tensor_event* tensor);
  void (*activity)(const strata_host* host, const strata_activity_event* activity);
  /* [loop-thread] In `create` and later: the STRATA_INTEREST_* bits of the active window, even when the
   * window is closed. All plugins are created before the first source, so a source can skip preparing events
   * that no plugin will want. */
  uint32_t (*interest_in_window)(const strata_host* host);
} strata_emit_service;

#ifdef __cplusplus
}
#endif

#endif
