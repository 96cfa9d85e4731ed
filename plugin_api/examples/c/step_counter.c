/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest useful plugin, in C: one row per step in the run store, and a log line when the run ends.
 *
 *   plugins:
 *     - step_counter: {log_every: 100}
 *
 * In the run store: SELECT step, tokens FROM step_counter_step. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strata/entry.h"
#include "strata/ext/log.h"
#include "strata/ext/run.h"
#include "strata/ext/step.h"
#include "strata/ext/store.h"

/* One instance. `plugin` is the first member, so a pointer to it is also a pointer to the instance. */
typedef struct step_counter {
  strata_plugin plugin;
  const strata_host* host;
  const strata_log_service* log;
  const strata_store_service* store; /* null if the run has no directory */
  uint32_t table;
  int64_t log_every;
  uint64_t steps, tokens;
} step_counter;

typedef struct step_row {
  uint64_t step, tokens;
} step_row;

static void log_count(const step_counter* counter) {
  char line[96];
  snprintf(line, sizeof line, "%" PRIu64 " steps, %" PRIu64 " tokens", counter->steps, counter->tokens);
  if (counter->log) counter->log->write(counter->host, STRATA_LOG_INFO, line);
}

static void on_step_end(void* self, const strata_when* when, const strata_step_info* step,
                        const strata_step_result* result, uint64_t token) {
  step_counter* counter = self;
  (void)when;
  (void)token;
  counter->steps += 1;
  counter->tokens += result->tokens;
  if (counter->table) {
    const step_row row = {step->index, result->tokens};
    counter->store->append(counter->host, counter->table, &row);
  }
  if (counter->log_every > 0 && counter->steps % (uint64_t)counter->log_every == 0) log_count(counter);
}

static void on_run_end(void* self, const strata_when* when, uint32_t reason) {
  (void)when;
  (void)reason;
  log_count(self);
}

static const void* listener(strata_plugin* plugin, const char* id) {
  static const strata_step_listener step = {sizeof step, 0, NULL, on_step_end};
  static const strata_run_listener run = {sizeof run, 0, NULL, NULL, on_run_end};
  (void)plugin;
  if (strcmp(id, STRATA_EXT_STEP) == 0) return &step;
  if (strcmp(id, STRATA_EXT_RUN) == 0) return &run;
  return NULL;
}

static void destroy(strata_plugin* plugin) {
  free(plugin);
}

static void declare_table(step_counter* counter) {
  static const strata_column columns[] = {
      STRATA_COLUMN(step_row, step, STRATA_COLUMN_UINT64, "", "index of the step"),
      STRATA_COLUMN(step_row, tokens, STRATA_COLUMN_UINT64, "", "tokens that it trained on"),
  };
  const strata_table table = {sizeof table, sizeof(step_row), "step", "a step that ended", columns, 2, 0};
  counter->store = counter->host->service(counter->host, STRATA_EXT_STORE);
  if (counter->store) counter->table = counter->store->declare(counter->host, &table);
}

static strata_plugin* create(const strata_host* host, const char* id, char* reason, size_t reason_bytes) {
  step_counter* counter = calloc(1, sizeof *counter);
  (void)id;
  if (!counter) {
    snprintf(reason, reason_bytes, "out of memory");
    return NULL;
  }
  counter->plugin = (strata_plugin){sizeof counter->plugin, 0, counter, listener, destroy};
  counter->host = host;
  counter->log = host->service(host, STRATA_EXT_LOG);
  counter->log_every = host->option_integer(host, "log_every");
  declare_table(counter);
  return &counter->plugin;
}

static const strata_option options[] = {
    {"log_every", STRATA_OPTION_INTEGER, 0, "0",
     "steps between two lines in the log; 0: one line, at the end", NULL, 0, 1e9},
};

static const strata_descriptor the_descriptor = {sizeof the_descriptor,
                                                 0,
                                                 "step_counter",
                                                 "1.0",
                                                 "Counts steps and tokens",
                                                 options,
                                                 sizeof options / sizeof options[0],
                                                 0};

static int32_t init(const char* path, char* reason, size_t reason_bytes) {
  (void)path;
  (void)reason;
  (void)reason_bytes;
  return 0;
}
static void deinit(void) {}
static uint32_t count(void) {
  return 1;
}
static const strata_descriptor* descriptor(uint32_t index) {
  return index == 0 ? &the_descriptor : NULL;
}

const strata_entry strata_plugin_entry = {
    sizeof(strata_entry), STRATA_ABI_MAJOR, STRATA_ABI_MINOR, init, deinit, count, descriptor, create,
};
