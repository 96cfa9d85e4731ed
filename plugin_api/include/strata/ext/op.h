/* SPDX-License-Identifier: Apache-2.0 */
/* strata.op/1: an operator of the framework that runs on some thread. */
#ifndef STRATA_EXT_OP_H
#define STRATA_EXT_OP_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_OP "strata.op/1"

#define STRATA_OP_FORWARD 0u  /* an operator called by the program or by a node of the backward graph */
#define STRATA_OP_BACKWARD 1u /* a node of the backward graph */
#define STRATA_OP_USER 2u     /* a range named by the program (record_function) */

typedef struct strata_op_info {
  uint32_t struct_size;
  uint32_t kind; /* STRATA_OP_* */
  strata_name name;
  uint64_t ordinal; /* the value of `strata_when.op` while it is innermost on its thread */
  uint64_t parent;  /* ordinal of the enclosing op on the same thread, or STRATA_NONE */
  /* Autograd's sequence number, counted per thread. A backward node has the number of the forward op that
   * made it: the last op to begin with that number on that thread. -1: none. */
  int64_t autograd_sequence;
  uint64_t forward_thread; /* the framework's number of the counting thread: a forward op's own; 0: unknown */
  /* The work of a matrix product, a convolution or attention, if the source was asked for shapes: `products`
   * times `product_batch` products of m x k by k x n, 2 * m * n * k floating-point operations each. All 0:
   * another kind of op, or shapes were not requested. If such an op calls another one, both have their own
   * numbers, although the work is done once. */
  uint32_t products;
  uint32_t product_batch, product_m, product_n, product_k;
  uint32_t product_element_bytes; /* of one operand */
  uint64_t product_bytes;         /* operands and results, each counted once; 0: unknown */
} strata_op_info;

typedef struct strata_op_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] The host keeps the result and passes it to `end`. */
  uint64_t (*begin)(void* self, const strata_when* when, const strata_op_info* op);
  /* [any] Called if and only if `begin` was called, on the same thread. Ops still open when the run ends are
   * ended by the thread that ends the run; `when->thread` is then the thread that began the op. */
  void (*end)(void* self, const strata_when* when, const strata_op_info* op, uint64_t token);
} strata_op_listener;

#ifdef __cplusplus
}
#endif

#endif
