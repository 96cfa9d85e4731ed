/* SPDX-License-Identifier: Apache-2.0 */
/* The one symbol that a plugin file exports, and the descriptors of its plugins.
 *
 * Loading, in order, all [loop-thread]:
 *   1. The host opens the file (RTLD_NOW | RTLD_LOCAL) and finds `strata_plugin_entry`; never closes it.
 *   2. The host compares the major versions. If they differ, it rejects the file and reports both numbers.
 *   3. The host checks the options of each configured plugin against its `descriptor`.
 *   4. `init(path)` is called once for the file, before the first `create`. If it fails, its plugins are
 * disabled.
 *   5. `create` is called for each plugin.
 *   6. When the run ends: `strata_plugin.destroy` for each plugin, then `deinit` once if `init` succeeded.
 * If the process opens another session, steps 3 to 6 are repeated; the file stays open.
 *
 * Only `init` and `create` may fail. They write the reason, NUL-terminated, into the buffer passed to them
 * (`reason_bytes` includes the NUL). The host prints it and keeps it in the manifest, and training continues
 * without the plugin (unless `strict: true`).
 *
 * If the process exits before the run ends (exit in the loop, a signal), neither `destroy` nor `deinit` is
 * called: a plugin must not rely on them to save anything. Rows appended to `strata.store/1` are already
 * safe. */
#ifndef STRATA_ENTRY_H
#define STRATA_ENTRY_H

#include "host.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Option types. The host parses the YAML text; a plugin only sees checked values. */
#define STRATA_OPTION_FLAG 1u    /* true | false */
#define STRATA_OPTION_INTEGER 2u /* a 64-bit signed integer */
#define STRATA_OPTION_REAL 3u    /* a double */
#define STRATA_OPTION_TEXT 4u    /* any string, or one of `choices` */
#define STRATA_OPTION_BYTES 5u   /* an integer with an optional unit: 512, 64KiB, 1.5GiB */

typedef struct strata_option {
  const char* key;
  uint32_t type;
  uint32_t reserved;
  const char* default_text; /* written as in YAML; never null */
  const char* help;         /* one sentence */
  const char* choices;      /* TEXT only: allowed values separated by '|', or null */
  double minimum, maximum;  /* INTEGER, REAL, BYTES: inclusive range, applied only if minimum < maximum */
} strata_option;

/* Flags of a descriptor: the kind of plugin, and when it is called. */
#define STRATA_DESCRIPTOR_SOURCE 1u    /* a source: may ask for strata.emit/1 */
#define STRATA_DESCRIPTOR_WHOLE_RUN 2u /* wants events outside the active window as well */
/* 4u once had a name, but no host ever used it. It must not be reused. */

typedef struct strata_descriptor {
  uint32_t struct_size;
  uint32_t flags;
  const char* id;      /* the plugin's name in YAML: [a-z0-9_]+, equal to its folder's name */
  const char* version; /* of the plugin, not of the ABI */
  const char* summary; /* one sentence */
  const strata_option* options;
  uint32_t option_count;
  uint32_t reserved;
} strata_descriptor;

typedef struct strata_entry {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  /* [loop-thread] Returns 0 on success. `path`, the file that was opened, is valid for the call. */
  int32_t (*init)(const char* path, char* reason, size_t reason_bytes);
  /* [loop-thread] */
  void (*deinit)(void);
  /* [any] Returns the number of plugins in the file. */
  uint32_t (*count)(void);
  /* [any] The result has static lifetime. Null for index >= count(). */
  const strata_descriptor* (*descriptor)(uint32_t index);
  /* [loop-thread] Returns null on failure. `host` belongs to this instance alone; it lives until `destroy`
   * returns. */
  strata_plugin* (*create)(const strata_host* host, const char* id, char* reason, size_t reason_bytes);
} strata_entry;

#define STRATA_ENTRY_SYMBOL "strata_plugin_entry"

#if defined(__GNUC__)
#define STRATA_EXPORT __attribute__((visibility("default")))
#else
#define STRATA_EXPORT
#endif

/* Defined by the plugin: const strata_entry strata_plugin_entry = {...}; */
extern STRATA_EXPORT const strata_entry strata_plugin_entry;

#ifdef __cplusplus
}
#endif

#endif
