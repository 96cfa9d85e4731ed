/* SPDX-License-Identifier: Apache-2.0 */
/* strata.module/1: a layer at work, in forward, in backward or in recomputation. */
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
  uint32_t ordinal;   /* of this range; what `strata_when.module` holds while it is innermost on its thread */
  uint32_t parent;    /* ordinal of the enclosing range on the same thread, or STRATA_NONE */
  uint32_t direction; /* STRATA_MODULE_* */
  strata_name path;   /* "layers.3.attention": the qualified name, empty for the root */
  strata_name type;   /* "Attention" */
} strata_module_info;

typedef struct strata_module_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] Backward runs on autograd's own threads. What it returns is kept by the host and given to `end`. */
  uint64_t (*begin)(void* self, const strata_when* when, const strata_module_info* module);
  /* [any] If and only if `begin` was called, on the same thread; what is open when the run ends is ended by
   * the thread that ends it, with `when->thread` naming the one that began it. */
  void (*end)(void* self, const strata_when* when, const strata_module_info* module, uint64_t token);
} strata_module_listener;

#ifdef __cplusplus
}
#endif

#endif
