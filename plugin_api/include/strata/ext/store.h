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

/* What a store with a largest size (`store.max_mb`) may do with rows of steps that are long over. */
#define STRATA_THIN_NEVER 0u /* keep them: something later may need them */
/* A row tells of one moment, by its column `sequence`: it goes with the step. */
#define STRATA_THIN_MOMENT 1u
/* A row tells of a interval of time, by its columns `begin_ns` and `end_ns`: it goes with the step after the
 * one that it ended in, for what a step asked for may be done in the next. */
#define STRATA_THIN_SPAN 2u
/* A row says more of a row of the plugin's table before it: the value of its first column is that of the
 * column of the same name there. It goes with that row. */
#define STRATA_THIN_PART 3u
/* A row says more of the memory event of its column `sequence`: it goes with that event. */
#define STRATA_THIN_OF_MEMORY 4u

typedef struct strata_table {
  uint32_t struct_size;
  uint32_t row_bytes; /* at most 4096 */
  const char* name;   /* [a-z][a-z0-9_]* */
  const char* help;   /* one sentence: what one row is */
  const strata_column* columns;
  uint32_t column_count;
  uint32_t thin; /* STRATA_THIN_*; 0 in what was built before there was any */
} strata_table;

/* One column of a row struct: STRATA_COLUMN(struct row, bytes, STRATA_COLUMN_UINT64, "bytes", "as asked for")
 */
#define STRATA_COLUMN(row, field, type, unit, help) \
  { #field, type, (uint32_t)offsetof(row, field), unit, help }

typedef struct strata_store_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [loop-thread] in `create` or at run begin. The table's handle, or 0: refused, with the reason in the log.
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
