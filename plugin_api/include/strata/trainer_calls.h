/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that trains tells the host of its loop: one table of functions, which the program gets from
 * the library that STRATA_ATTACH names. <strata/trainer.h> does it, and has macros for all of it.
 *
 * Unlike a plugin, which the host loads, this is called by a program that knows nothing of its host but this
 * header. So the table grows only at its tail, and a program asks STRATA_HAS_FIELD before it calls what came
 * later than the version it was written for.
 *
 * Lifetime: the table lives as long as the process. Where the run has ended, and in a forked child, each call
 * does nothing. Errors: no call fails and none throws; a begin without an end, and the other way round, is a
 * fault in the run's manifest and changes nothing else.
 * Threads: steps, micro-batches and phases come from one thread at a time, as a loop does them; modules and
 * tensors from any. */
#ifndef STRATA_TRAINER_CALLS_H
#define STRATA_TRAINER_CALLS_H

#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A storage, and what it is to the training. `name` and `dtype` are valid for the call, as `sizes` is. */
typedef struct strata_owned_storage {
  uint32_t struct_size;
  uint32_t role;     /* STRATA_TENSOR_* of ext/tensor.h */
  const char* name;  /* "layers.3.attention.query.weight", "exp_avg"; never null */
  const char* dtype; /* "float32"; never null */
  strata_device device;
  uint64_t address;       /* of the storage's first byte */
  uint64_t storage_bytes; /* of the whole storage */
  uint64_t owner_address; /* the parameter's, for its gradient and its optimizer state; else 0 */
  const int64_t* sizes;   /* `dimensions` extents, in elements */
  uint32_t dimensions;
  uint32_t is_frozen; /* 1: a parameter that needs no gradient; else 0 */
} strata_owned_storage;

typedef struct strata_trainer_calls {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;

  /* Steps are counted by the host, from 0. */
  void (*step_begin)(void);
  void (*step_end)(void);
  /* Of the open step: the mean loss over its micro-batches, NaN where it is not known; items, be they tokens
   * or samples. */
  void (*step_result)(double loss, uint64_t items);
  /* A micro-batch of the open step begins. Counted from 0. */
  void (*micro_batch)(uint32_t index);

  /* A phase begins. These names have a meaning, which categories depend on: setup, data, host_to_device,
   * forward, loss, backward, gradient_sync, clip, optimizer, zero_grad, checkpoint_save, evaluation. Any
   * other is shown as it is. Returns what `phase_end` takes; phases that were begun within it end with it. */
  uint32_t (*phase_begin)(const char* name);
  void (*phase_end)(uint32_t phase);

  /* A module, or a range of layers, is at work on the calling thread: "layers.3.attention", "Attention".
   * `direction`: STRATA_MODULE_* of ext/module.h. Returns what `module_end` takes, on the same thread. */
  uint32_t (*module_begin)(const char* path, const char* type, uint32_t direction);
  void (*module_end)(uint32_t module);

  /* Whether anybody hears of tensors. */
  int32_t (*wants_tensors)(void);
  /* Whose this storage is, from here on until it is freed. The first role of each kind that a storage is
   * given holds. */
  void (*tensor)(const strata_owned_storage* storage);
  /* `tell(context)` is called where an optimizer has run, on that thread, so that its new state is told;
   * until `forget_optimizer(context)` has returned. It calls `tensor` and nothing else of this table. */
  void (*watch_optimizer)(void (*tell)(void*), void* context);
  void (*forget_optimizer)(void* context);
} strata_trainer_calls;

/* The environment variable that holds the library's path, and its one function:
 * const strata_trainer_calls* strata_trainer_bind(uint32_t abi_major). Null where nothing is recorded:
 * STRATA_EXEC is not set, the session could not be opened, or the majors differ; which of them is said on
 * standard error, but for the first. Called once or often, on any thread. */
#define STRATA_ATTACH_VARIABLE "STRATA_ATTACH"
#define STRATA_TRAINER_BIND_SYMBOL "strata_trainer_bind"
typedef const strata_trainer_calls* (*strata_trainer_bind_function)(uint32_t abi_major);

#ifdef __cplusplus
}
#endif

#endif
