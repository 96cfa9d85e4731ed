/* SPDX-License-Identifier: Apache-2.0 */
/* strata.graph/1: storages that autograd saves for backward. */
#ifndef STRATA_EXT_GRAPH_H
#define STRATA_EXT_GRAPH_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_GRAPH "strata.graph/1"

#define STRATA_GRAPH_SAVE 1u    /* a node saved the storage */
#define STRATA_GRAPH_RELEASE 2u /* the node released it */

typedef struct strata_graph_event {
  uint32_t struct_size;
  uint32_t action; /* STRATA_GRAPH_* */
  strata_device device;
  uint64_t saved;         /* pairs a RELEASE with its SAVE; unique in a run */
  uint64_t address;       /* of the storage's first byte */
  uint64_t storage_bytes; /* of the whole storage */
} strata_graph_event;

typedef struct strata_graph_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] */
  void (*on_graph)(void* self, const strata_when* when, const strata_graph_event* graph);
} strata_graph_listener;

#ifdef __cplusplus
}
#endif

#endif
