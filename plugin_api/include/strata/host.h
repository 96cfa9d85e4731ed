/* SPDX-License-Identifier: Apache-2.0 */
/* The plugin's view of its host: its options, and the services it may request. */
#ifndef STRATA_HOST_H
#define STRATA_HOST_H

#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One host handle per plugin instance: services use it to identify the caller.
 *
 * The option getters return the configured value, or else the descriptor's default. Both were checked before
 * `create`, so getters cannot fail. If the descriptor does not declare the key, or declares it with another
 * type, the host logs the plugin's error, counts it as a fault, and returns 0 or "". */
typedef struct strata_host {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  void* self;
  const char* version; /* of the host, for messages */
  /* [any] Returns the service with that id (strata.log/1 ...), or null if this host does not have it. The
   * service lives as long as the host. */
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
