/* SPDX-License-Identifier: Apache-2.0 */
/* strata.store/1: typed tables in the run store.
 *
 * A row is a plain C struct. `append` copies it into the calling thread's spool, a file mapped into memory:
 * once `append` has returned, the row survives the death of the process, SIGKILL included. No system call, no
 * lock and no heap allocation on that path, but for a thread's first row, for a spool that became half full
 * (the writer is woken) and for a full one (`store.on_full`: wait for the writer, or drop the row and record
 * the gap).
 *
 * In the run store the table is named <plugin id>_<table name>, with the columns in the order declared. */
#ifndef STRATA_EXT_STORE_H
#define STRATA_EXT_STORE_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_STORE "strata.store/1"

/* Types of column, with the size of the field in the row. */
#define STRATA_COLUMN_UINT32 1u /* 4 bytes */
#define STRATA_COLUMN_INT64 2u  /* 8 bytes */
#define STRATA_COLUMN_UINT64 3u /* 8 bytes; stored bit for bit as SQLite's signed integer */
#define STRATA_COLUMN_REAL 4u   /* 8 bytes; NaN is stored as NULL */
#define STRATA_COLUMN_STRING 5u /* 4 bytes: an id from `intern`; a row of the table `string` */

typedef struct strata_column {
  const char* name; /* [a-z][a-z0-9_]* */
  uint32_t type;    /* STRATA_COLUMN_* */
  uint32_t offset;  /* of the field within the row, in bytes */
  const char* unit; /* "bytes", "ns", "" */
  const char* help; /* one sentence */
} strata_column;

typedef struct strata_table {
  uint32_t struct_size;
  uint32_t row_bytes; /* at most 4096 */
  const char* name;   /* [a-z][a-z0-9_]* */
  const char* help;   /* one sentence: what one row is */
  const strata_column* columns;
  uint32_t column_count;
  uint32_t reserved;
} strata_table;

/* One column of a row struct: STRATA_COLUMN(struct row, bytes, STRATA_COLUMN_UINT64, "bytes", "as asked for")
 */
#define STRATA_COLUMN(row, field, type, unit, help) \
  { #field, type, (uint32_t)offsetof(row, field), unit, help }

typedef struct strata_store_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [driver] in `create` or at run begin. The table's handle, or 0: refused, with the reason in the log.
   * Declaring a table again, alike in its columns and in all help texts, gives the same handle; another one
   * of that name is refused. `table` is copied. */
  uint32_t (*declare)(const strata_host* host, const strata_table* table);
  /* [any] [alloc-lock] Copies one row of `row_bytes`. 1 when it was kept, 0 when it was dropped and counted.
   */
  int32_t (*append)(const strata_host* host, uint32_t table, const void* row);
  /* [any] not [alloc-lock]. The id of a text of `bytes` bytes, which need not end in NUL; the same text has
   * the same id for the whole run. */
  uint32_t (*intern)(const strata_host* host, const char* text, size_t bytes);
} strata_store_service;

#ifdef __cplusplus
}
#endif

#endif
