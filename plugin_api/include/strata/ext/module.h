/* SPDX-License-Identifier: Apache-2.0 */
/* strata.module/1: a layer that runs: in forward, backward or recomputation. */
#ifndef STRATA_EXT_MODULE_H
#define STRATA_EXT_MODULE_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_MODULE "strata.module/1"

#define STRATA_MODULE_FORWARD 0u
#define STRATA_MODULE_BACKWARD 1u
#define STRATA_MODULE_RECOMPUTE 2u

typedef struct strata_module_info {
  uint32_t struct_size;
  uint32_t ordinal; /* of this range; the value of `strata_when.module` while it is innermost on its thread */
  uint32_t parent;  /* ordinal of the enclosing range on the same thread, or STRATA_NONE */
  uint32_t direction; /* STRATA_MODULE_* */
  strata_name path;   /* "layers.3.attention": the qualified name, empty for the root */
  strata_name type;   /* "Attention" */
} strata_module_info;

typedef struct strata_module_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Backward runs on autograd's own threads. The host keeps the result and passes it to `end`. */
  uint64_t (*begin)(void* self, const strata_when* when, const strata_module_info* module);
  /* [any] Called if and only if `begin` was called, on the same thread. Ranges still open when the run ends
   * are ended by the thread that ends the run; `when->thread` is then the thread that began the range. */
  void (*end)(void* self, const strata_when* when, const strata_module_info* module, uint64_t token);
} strata_module_listener;

#ifdef __cplusplus
}
#endif

#endif
