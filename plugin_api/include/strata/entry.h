/* SPDX-License-Identifier: Apache-2.0 */
/* The one symbol that a plugin exports, and what it says about itself.
 *
 * Loading, in order, all [loop-thread]:
 *   1. the host opens the file (RTLD_NOW | RTLD_LOCAL), finds `strata_plugin_entry`, never closes it.
 *   2. majors are compared; a file that does not fit is refused with both numbers.
 *   3. for each plugin that the configuration names, its options are checked against `descriptor`.
 *   4. `init(path)`, once for the file, before the first `create`. A failure disables all its plugins.
 *   5. `create` for each plugin.
 *   6. at the run's end `strata_plugin.destroy` for each, then `deinit` once if `init` succeeded.
 * A process that opens another session goes through 3 to 6 again, with the same file still open.
 *
 * Only `init` and `create` may fail. They write the reason, NUL-terminated, into the buffer they are given;
 * the host prints it, keeps it in the manifest, and the training goes on without the plugin (unless `strict:
 * true`).
 *
 * At process exit without an ended run (exit in the loop, a signal) neither `destroy` nor `deinit` is called:
 * a plugin must leave nothing that only they would save. What was appended to `strata.store/1` is safe by
 * itself. */
#ifndef STRATA_ENTRY_H
#define STRATA_ENTRY_H

#include "host.h"
#include "plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Types of option. The host parses the YAML text; a plugin sees checked values only. */
#define STRATA_OPTION_FLAG 1u    /* true | false */
#define STRATA_OPTION_INTEGER 2u /* a 64-bit signed integer */
#define STRATA_OPTION_REAL 3u    /* a double */
#define STRATA_OPTION_TEXT 4u    /* any string, or one of `choices` */
#define STRATA_OPTION_BYTES 5u   /* an integer with an optional unit: 512, 64KiB, 1.5GiB */

typedef struct strata_option {
  const char* key;
  uint32_t type;
  uint32_t reserved;
  const char* default_text; /* as it would be written in YAML; never null */
  const char* help;         /* one sentence */
  const char* choices;      /* TEXT only: allowed values separated by '|', or null */
  double minimum, maximum;  /* INTEGER, REAL, BYTES: inclusive range, in force when minimum < maximum */
} strata_option;

/* What kind of thing is loaded, and how it wants to be called. */
#define STRATA_DESCRIPTOR_SOURCE 1u    /* a source: may ask for strata.emit/1 */
#define STRATA_DESCRIPTOR_WHOLE_RUN 2u /* wants events outside the active window as well */
/* 4u was once named here, and no host ever heeded it: it is not to be given another meaning. */

typedef struct strata_descriptor {
  uint32_t struct_size;
  uint32_t flags;
  const char* id;      /* the name that YAML uses: [a-z0-9_]+, equal to the plugin's folder */
  const char* version; /* the plugin's own */
  const char* summary; /* one sentence */
  const strata_option* options;
  uint32_t option_count;
  uint32_t reserved;
} strata_descriptor;

typedef struct strata_entry {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;
  /* [loop-thread] 0 on success. `path` is the file that was opened; it is valid for the call. */
  int32_t (*init)(const char* path, char* reason, size_t reason_bytes);
  /* [loop-thread] */
  void (*deinit)(void);
  /* [any] how many plugins the file holds */
  uint32_t (*count)(void);
  /* [any] static lifetime; null for index >= count() */
  const strata_descriptor* (*descriptor)(uint32_t index);
  /* [loop-thread] null on failure. `host` lives until `destroy` returns and belongs to this instance alone.
   */
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
