/* SPDX-License-Identifier: Apache-2.0 */
/* One instance of a plugin, made by `strata_entry.create`. */
#ifndef STRATA_PLUGIN_H
#define STRATA_PLUGIN_H

#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct strata_plugin {
  uint32_t struct_size;
  uint32_t reserved;
  /* Handed back as the first argument of every listener. */
  void* self;
  /* [loop-thread] The listener interface with that id (strata.step/1 ...), or null when the plugin does not
   * listen. Asked once for each id, right after `create`; what it returns must live until `destroy`. In a
   * listener a null member means: not interested in this one event; where only `begin` is null, `end` comes
   * for the ranges whose begin would have come, with token 0. The host calls nothing that was not returned
   * here. */
  const void* (*listener)(struct strata_plugin* plugin, const char* id);
  /* [loop-thread] The last call. No event is in flight and none comes afterwards. Frees the plugin. */
  void (*destroy)(struct strata_plugin* plugin);
} strata_plugin;

#ifdef __cplusplus
}
#endif

#endif
