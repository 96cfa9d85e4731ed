/* SPDX-License-Identifier: Apache-2.0 */
/* strata.log/1: the only way for a plugin to print a message. A plugin never writes to stdout or stderr. */
#ifndef STRATA_EXT_LOG_H
#define STRATA_EXT_LOG_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_LOG "strata.log/1"

#define STRATA_LOG_DEBUG 0u
#define STRATA_LOG_INFO 1u
#define STRATA_LOG_WARNING 2u
#define STRATA_LOG_ERROR 3u
/* The other side broke the contract. Counted as a fault in the manifest. */
#define STRATA_LOG_HOST_MISBEHAVING 4u
#define STRATA_LOG_PLUGIN_MISBEHAVING 5u
/* The plugin cannot work in this session; `text` is the reason. Used in the run's begin, where nothing else
 * can fail any more, or later. The manifest then says `failed` with that reason. From the next step boundary
 * the plugin gets no new events, but still the ends, flushes and end of run that it is owed. */
#define STRATA_LOG_PLUGIN_FAILED 6u

typedef struct strata_log_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] not [alloc-lock]. `text` is one line without a newline; the host adds the plugin's name. */
  void (*write)(const strata_host* host, uint32_t severity, const char* text);
} strata_log_service;

#ifdef __cplusplus
}
#endif

#endif
