/* SPDX-License-Identifier: Apache-2.0 */
/* What a plugin holds of its host: its options, and the services it may ask for. */
#ifndef STRATA_HOST_H
#define STRATA_HOST_H

#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One host handle for each plugin instance: every service knows by it who is asking.
 *
 * The option getters return the value that was configured, else the descriptor's default: both were checked
 * before `create`, so they cannot fail. A key that the descriptor does not declare, or declares with another
 * type, is the plugin's error: it is logged as such, counted as a fault, and answered with 0 or "". */
typedef struct strata_host {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  void* self;
  const char* version; /* the host's own, for messages */
  /* [any] The service with that id (strata.log/1 ...), or null when this host has none. Lives as long as the
   * host. */
  const void* (*service)(const struct strata_host* host, const char* id);
  /* [loop-thread] */
  int32_t (*option_flag)(const struct strata_host* host, const char* key);
  int64_t (*option_integer)(const struct strata_host* host, const char* key); /* INTEGER and BYTES */
  double (*option_real)(const struct strata_host* host, const char* key);
  const char* (*option_text)(const struct strata_host* host, const char* key); /* lives as long as the host */
} strata_host;

#ifdef __cplusplus
}
#endif

#endif
