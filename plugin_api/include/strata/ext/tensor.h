/* SPDX-License-Identifier: Apache-2.0 */
/* strata.tensor/1: who owns a storage. It says what no allocator can know: this block is a parameter. */
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
#define STRATA_TENSOR_BUCKET 13u    /* one block, several gradients */
#define STRATA_TENSOR_WORKSPACE 14u /* what a library such as cuBLAS computes in, kept from call to call */
#define STRATA_TENSOR_CHECKPOINT_INPUT 15u /* what a checkpointed layer keeps until it runs again */
/* What autocast made of another storage, its owner. It is told of whatever autocast casts; whoever reads it
 * knows whether that was a parameter. */
#define STRATA_TENSOR_AUTOCAST_COPY 16u
#define STRATA_TENSOR_OFFLOADED 17u /* what a forward made, moved to the host's memory until backward */

/* The registration binds to the block that holds `address` at `when->sequence`, for that block's whole life;
 * it says nothing about a later block at the same address. A tensor whose storage was replaced is registered
 * again. */
typedef struct strata_tensor_event {
  uint32_t struct_size;
  uint32_t role;     /* STRATA_TENSOR_* */
  strata_name name;  /* "layers.3.attention.query.weight", "exp_avg"; may be empty for an activation */
  strata_name dtype; /* "float32" */
  strata_device device;
  uint64_t address;       /* of the storage's first byte, not of the view's */
  uint64_t storage_bytes; /* of the whole storage */
  uint64_t owner_address; /* the parameter's, where it has one; else 0 */
  const int64_t* sizes;   /* `dimensions` extents of the view, in elements; valid for the call */
  uint32_t dimensions;
  uint32_t is_frozen; /* 1: a parameter that needs no gradient; 0: it does, or nobody said */
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
