/* SPDX-License-Identifier: Apache-2.0 */
/* Plugins that do not fit, each in its own way: MISFIT selects one. */
#include <stdio.h>

#include "strata/entry.h"

#define FITS 0
#define WRONG_MAJOR 1
#define NEWER_MINOR 2
#define SHORT_ENTRY 3
#define INIT_FAILS 4
#define CREATE_FAILS 5
#define NO_ENTRY 6
#define INCOMPLETE_PLUGIN 7

static int32_t init(const char* path, char* reason, size_t reason_bytes) {
  (void)path;
#if MISFIT == INIT_FAILS
  snprintf(reason, reason_bytes, "the device library is too old");
  return 1;
#else
  (void)reason;
  (void)reason_bytes;
  return 0;
#endif
}

static void deinit(void) {}
static uint32_t count(void) {
  return 1;
}

static const strata_descriptor the_descriptor = {sizeof the_descriptor, 0,    MISFIT_ID, "1.0",
                                                 "Does not fit",        NULL, 0,         0};

static const strata_descriptor* descriptor(uint32_t index) {
  return index == 0 ? &the_descriptor : NULL;
}

static const void* listener(strata_plugin* plugin, const char* id) {
  (void)plugin;
  (void)id;
  return NULL;
}

static strata_plugin* create(const strata_host* host, const char* id, char* reason, size_t reason_bytes) {
  static strata_plugin plugin = {sizeof plugin, 0, NULL, listener, NULL};
  (void)host;
  (void)id;
#if MISFIT == CREATE_FAILS
  snprintf(reason, reason_bytes, "no counter is free");
  return NULL;
#else
  (void)reason;
  (void)reason_bytes;
  return &plugin; /* has no `destroy` */
#endif
}

#if MISFIT == NO_ENTRY
int32_t strata_misfit(const strata_host* host);
int32_t strata_misfit(const strata_host* host) {
  (void)init;
  (void)deinit;
  (void)count;
  (void)descriptor;
  (void)create;
  return host == NULL;
}
#else
const strata_entry strata_plugin_entry = {
    MISFIT == SHORT_ENTRY ? 16 : sizeof(strata_entry),
    MISFIT == WRONG_MAJOR ? STRATA_ABI_MAJOR + 1 : STRATA_ABI_MAJOR,
    MISFIT == NEWER_MINOR ? STRATA_ABI_MINOR + 7 : STRATA_ABI_MINOR,
    init,
    deinit,
    count,
    descriptor,
    create,
};
#endif
