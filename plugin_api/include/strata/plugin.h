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
  /* The first argument of every listener call. */
  void* self;
  /* [loop-thread] Returns the listener interface with that id (strata.step/1 ...), or null if the plugin does
   * not listen to it. Called once for each id, right after `create`; the result must live until `destroy`. A
   * null member of a listener means that the plugin does not want that event. If only `begin` is null, `end`
   * is called with token 0 for each range whose begin would have been delivered. The host calls only what was
   * returned here. */
  const void* (*listener)(struct strata_plugin* plugin, const char* id);
  /* [loop-thread] The last call: no event is in flight, and none follows. Frees the plugin. */
  void (*destroy)(struct strata_plugin* plugin);
} strata_plugin;

#ifdef __cplusplus
}
#endif

#endif
