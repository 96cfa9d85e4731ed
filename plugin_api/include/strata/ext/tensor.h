/* SPDX-License-Identifier: Apache-2.0 */
/* strata.tensor/1: the role of a storage, which no allocator can know: this block is a parameter. */
#ifndef STRATA_EXT_TENSOR_H
#define STRATA_EXT_TENSOR_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_TENSOR "strata.tensor/1"

#define STRATA_TENSOR_PARAMETER 1u
#define STRATA_TENSOR_BUFFER 2u
#define STRATA_TENSOR_EMA 3u
#define STRATA_TENSOR_GRADIENT 4u
#define STRATA_TENSOR_OPTIMIZER_STATE 5u
#define STRATA_TENSOR_PROJECTOR 6u
#define STRATA_TENSOR_SCALER 7u
#define STRATA_TENSOR_INPUT 8u
#define STRATA_TENSOR_TARGET 9u
#define STRATA_TENSOR_PREFETCH 10u
#define STRATA_TENSOR_LOGITS 11u
#define STRATA_TENSOR_LOSS 12u
#define STRATA_TENSOR_BUCKET 13u           /* one block, several gradients */
#define STRATA_TENSOR_WORKSPACE 14u        /* memory of a library such as cuBLAS, kept between calls */
#define STRATA_TENSOR_CHECKPOINT_INPUT 15u /* input of a checkpointed layer, kept for recomputation */
/* A copy that autocast made of another storage, its owner. Reported for every cast by autocast; the reader
 * has to know whether the owner is a parameter. */
#define STRATA_TENSOR_AUTOCAST_COPY 16u
#define STRATA_TENSOR_OFFLOADED 17u /* made by a forward and kept in host memory until backward */
/* A copy that a program made of another storage, its owner, such as weights that it clones. Without an owner:
 * a copy of parameters from elsewhere, such as a checkpoint. If it becomes a moving average, it is registered
 * as one, too. The reader has to know whether the owner is a parameter or a gradient. */
#define STRATA_TENSOR_COPY 18u
/* The same copy, registered once more: an operator computes with it. Copying it to a parameter or to another
 * device is no such operator. */
#define STRATA_TENSOR_USED_COPY 19u

/* The registration applies to the block that holds `address` at `when->sequence`, for the whole life of that
 * block, and not to a later block at the same address. If a tensor's storage is replaced, it is registered
 * again. */
typedef struct strata_tensor_event {
  uint32_t struct_size;
  uint32_t role;     /* STRATA_TENSOR_* */
  strata_name name;  /* "layers.3.attention.query.weight", "exp_avg"; may be empty for an activation */
  strata_name dtype; /* "float32" */
  strata_device device;
  uint64_t address;       /* of the storage's first byte, not of the view */
  uint64_t storage_bytes; /* of the whole storage */
  uint64_t owner_address; /* of the parameter it belongs to; 0: none */
  const int64_t* sizes;   /* `dimensions` sizes of the view, in elements; valid for the call */
  uint32_t dimensions;
  uint32_t is_frozen; /* 1: a parameter that needs no gradient; 0: it needs one, or unknown */
} strata_tensor_event;

typedef struct strata_tensor_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] */
  void (*on_tensor)(void* self, const strata_when* when, const strata_tensor_event* tensor);
} strata_tensor_listener;

#ifdef __cplusplus
}
#endif

#endif
