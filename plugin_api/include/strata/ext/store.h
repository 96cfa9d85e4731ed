/* SPDX-License-Identifier: Apache-2.0 */
/* strata.store/1: typed tables in the run store.
 *
 * A row is a plain C struct. `append` copies it into the calling thread's spool, a memory-mapped file. Once
 * `append` has returned, the row survives the death of the process, even by SIGKILL. This path makes no
 * system call, takes no lock and allocates no heap memory, except for a thread's first row, when the spool
 * becomes half full (the writer is woken), and when it is full (`store.on_full`: wait for the writer, or drop
 * the row and record the gap).
 *
 * The table's name in the run store is <plugin id>_<table name>; columns keep the declared order. */
#ifndef STRATA_EXT_STORE_H
#define STRATA_EXT_STORE_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_STORE "strata.store/1"

/* Column types, with the size of the field in the row. */
#define STRATA_COLUMN_UINT32 1u /* 4 bytes */
#define STRATA_COLUMN_INT64 2u  /* 8 bytes */
#define STRATA_COLUMN_UINT64 3u /* 8 bytes; stored bit for bit as SQLite's signed integer */
#define STRATA_COLUMN_REAL 4u   /* 8 bytes; NaN is stored as NULL */
#define STRATA_COLUMN_STRING 5u /* 4 bytes: an id from `intern`, which is a row of the table `string` */

typedef struct strata_column {
  const char* name; /* [a-z][a-z0-9_]* */
  uint32_t type;    /* STRATA_COLUMN_* */
  uint32_t offset;  /* of the field within the row, in bytes */
  const char* unit; /* "bytes", "ns", "" */
  const char* help; /* one sentence */
} strata_column;

/* How a store with a maximum size (`store.max_mb`) may thin out rows of old steps. */
#define STRATA_THIN_NEVER 0u /* never remove a row: a later analysis may need it */
/* A row describes one moment, its column `sequence`. It is removed with the step that contains it. */
#define STRATA_THIN_MOMENT 1u
/* A row describes an interval of time, its columns `begin_ns` and `end_ns`. It is removed with the step after
 * the one in which it ended: work requested by a step may be done in the next. */
#define STRATA_THIN_SPAN 2u
/* A row adds to a row of the plugin's previously declared table: the one with the same value in the column
 * named like this table's first column. It is removed with that row. */
#define STRATA_THIN_PART 3u
/* A row adds to the memory event with its `sequence`. It is removed with that event. */
#define STRATA_THIN_OF_MEMORY 4u

typedef struct strata_table {
  uint32_t struct_size;
  uint32_t row_bytes; /* at most 4096 */
  const char* name;   /* [a-z][a-z0-9_]* */
  const char* help;   /* one sentence: the meaning of a row */
  const strata_column* columns;
  uint32_t column_count;
  uint32_t thin; /* STRATA_THIN_*; 0 in plugins older than this field */
} strata_table;

/* The column of a field: STRATA_COLUMN(struct row, bytes, STRATA_COLUMN_UINT64, "bytes", "as asked for") */
#define STRATA_COLUMN(row, field, type, unit, help) \
  { #field, type, (uint32_t)offsetof(row, field), unit, help }

typedef struct strata_store_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [loop-thread] In `create` or at run begin. Returns the table's handle, or 0 if the table was rejected,
   * with the reason in the log. An identical declaration (columns and all help texts) returns the same
   * handle; a different table with the same name is rejected. `table` is copied. */
  uint32_t (*declare)(const strata_host* host, const strata_table* table);
  /* [any] [alloc-lock] Copies one row of `row_bytes`. Returns 1 if the row was kept, 0 if it was dropped and
   * counted. */
  int32_t (*append)(const strata_host* host, uint32_t table, const void* row);
  /* [any] not [alloc-lock]. Returns the id of a text of `bytes` bytes, which need not end in NUL. Equal texts
   * have the same id for the whole run. */
  uint32_t (*intern)(const strata_host* host, const char* text, size_t bytes);
} strata_store_service;

#ifdef __cplusplus
}
#endif

#endif
