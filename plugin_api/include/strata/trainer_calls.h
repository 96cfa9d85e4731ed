/* SPDX-License-Identifier: Apache-2.0 */
/* How a training program reports its loop to the host: a table of functions, which the program gets from the
 * library named by STRATA_ATTACH. <strata/trainer.h> gets it, and has macros for every call.
 *
 * Unlike a plugin, which the host loads, the caller here knows only this header. So the table only grows at
 * its tail, and a program must check STRATA_HAS_FIELD before it calls a function that is newer than the
 * version it was written for.
 *
 * Lifetime: the table lives as long as the process. After the run has ended, and in a forked child, calls
 * have no effect. Errors: no call fails or throws. A begin without an end, or an end without a begin, is
 * counted as a fault in the run's manifest and has no other effect.
 * Threads: steps, micro-batches and phases come from one thread at a time, as in a loop; modules and tensors
 * from any thread. */
#ifndef STRATA_TRAINER_CALLS_H
#define STRATA_TRAINER_CALLS_H

#include "events.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A storage and its role in training. `name`, `dtype` and `sizes` are valid for the call. */
typedef struct strata_owned_storage {
  uint32_t struct_size;
  uint32_t role;     /* STRATA_TENSOR_* of ext/tensor.h */
  const char* name;  /* "layers.3.attention.query.weight", "exp_avg"; never null */
  const char* dtype; /* "float32"; never null */
  strata_device device;
  uint64_t address;       /* of the storage's first byte */
  uint64_t storage_bytes; /* of the whole storage */
  uint64_t owner_address; /* for a gradient or optimizer state: address of its parameter; else 0 */
  const int64_t* sizes;   /* `dimensions` sizes, in elements */
  uint32_t dimensions;
  uint32_t is_frozen; /* 1: a parameter that needs no gradient; else 0 */
} strata_owned_storage;

typedef struct strata_trainer_calls {
  uint32_t struct_size;
  uint16_t abi_major, abi_minor;

  /* The host counts steps, from 0. */
  void (*step_begin)(void);
  void (*step_end)(void);
  /* Sets the result of the open step: `loss` is the mean over its micro-batches (NaN: unknown), `items` its
   * number of tokens or samples (0: unknown). */
  void (*step_result)(double loss, uint64_t items);
  /* A micro-batch of the open step begins. `index` counts from 0. */
  void (*micro_batch)(uint32_t index);

  /* A phase begins. These names have a meaning that categories depend on: setup, data, host_to_device,
   * forward, loss, backward, gradient_sync, clip, optimizer, zero_grad, checkpoint_save, evaluation. Any
   * other name is shown as it is. Pass the result to `phase_end`. Ending a phase also ends the phases begun
   * inside it. */
  uint32_t (*phase_begin)(const char* name);
  void (*phase_end)(uint32_t phase);

  /* A module or a range of layers begins to run on the calling thread: "layers.3.attention", "Attention".
   * `direction` is STRATA_MODULE_* of ext/module.h. Pass the result to `module_end`, on the same thread. */
  uint32_t (*module_begin)(const char* path, const char* type, uint32_t direction);
  void (*module_end)(uint32_t module);

  /* Nonzero if any plugin listens to tensors. */
  int32_t (*wants_tensors)(void);
  /* Reports the role of this storage, from now until it is freed. If a storage is given several roles of one
   * kind, the first one holds. */
  void (*tensor)(const strata_owned_storage* storage);
  /* Registers a callback that reports the state of an optimizer. The host calls `tell(context)` after an
   * optimizer has run, on that thread, until `forget_optimizer(context)` has returned. `tell` may only call
   * `tensor` of this table. */
  void (*watch_optimizer)(void (*tell)(void*), void* context);
  void (*forget_optimizer)(void* context);
} strata_trainer_calls;

/* The environment variable that holds the library's path, and the library's one function:
 * const strata_trainer_calls* strata_trainer_bind(uint32_t abi_major). It returns null if nothing is
 * recorded: STRATA_EXEC is not set, the session could not be opened, or the majors differ. The last two are
 * reported on standard error. It may be called more than once, on any thread. */
#define STRATA_ATTACH_VARIABLE "STRATA_ATTACH"
#define STRATA_TRAINER_BIND_SYMBOL "strata_trainer_bind"
typedef const strata_trainer_calls* (*strata_trainer_bind_function)(uint32_t abi_major);

#ifdef __cplusplus
}
#endif

#endif
