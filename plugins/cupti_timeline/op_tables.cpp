// SPDX-License-Identifier: Apache-2.0
#include "plugins/cupti_timeline/op_tables.hpp"

namespace strata::cupti_timeline {

Table<OpRow> op_table(const Host& host) {
  return {
      host,
      "op",
      "an operator, a node of the backward graph, or a range named by the program; written at its end",
      {STRATA_COLUMN(OpRow, begin_ns, STRATA_COLUMN_INT64, "ns", "on CLOCK_MONOTONIC"),
       STRATA_COLUMN(OpRow, end_ns, STRATA_COLUMN_INT64, "ns", "on CLOCK_MONOTONIC"),
       STRATA_COLUMN(OpRow, op, STRATA_COLUMN_UINT64, "",
                     "ordinal, unique in a run: the sequence number of its begin"),
       STRATA_COLUMN(OpRow, parent, STRATA_COLUMN_UINT64, "", "ordinal of the enclosing operator; 0: none"),
       STRATA_COLUMN(OpRow, thread, STRATA_COLUMN_UINT32, "", "the OS's thread id"),
       STRATA_COLUMN(OpRow, kind, STRATA_COLUMN_UINT32, "", "STRATA_OP_*"),
       STRATA_COLUMN(OpRow, name, STRATA_COLUMN_STRING, "", "the framework's name for it"),
       STRATA_COLUMN(OpRow, module, STRATA_COLUMN_UINT32, "",
                     "ordinal of the thread's innermost module range; 0 outside"),
       STRATA_COLUMN(OpRow, autograd_sequence, STRATA_COLUMN_INT64, "",
                     "autograd's number, which a backward node shares with its forward operator; -1: none"),
       STRATA_COLUMN(
           OpRow, forward_thread, STRATA_COLUMN_UINT64, "",
           "the framework's number of the thread to which `autograd_sequence` belongs; 0: unknown")},
      STRATA_THIN_SPAN};
}

Table<ProductRow> product_table(const Host& host) {
  return {host,
          "product",
          "the matrix product that an operator computes",
          {STRATA_COLUMN(ProductRow, op, STRATA_COLUMN_UINT64, "", "ordinal of the operator"),
           STRATA_COLUMN(ProductRow, batch, STRATA_COLUMN_UINT32, "", "number of products of this shape"),
           STRATA_COLUMN(ProductRow, m, STRATA_COLUMN_UINT32, "", "rows of the left operand"),
           STRATA_COLUMN(ProductRow, n, STRATA_COLUMN_UINT32, "", "columns of the right operand"),
           STRATA_COLUMN(ProductRow, k, STRATA_COLUMN_UINT32, "", "length of the summed dimension"),
           STRATA_COLUMN(
               ProductRow, products, STRATA_COLUMN_UINT32, "",
               "number of such batches: 2 in attention, one for each gradient in a convolution's backward"),
           STRATA_COLUMN(ProductRow, element_bytes, STRATA_COLUMN_UINT32, "bytes",
                         "bytes of an operand's element"),
           STRATA_COLUMN(ProductRow, bytes, STRATA_COLUMN_UINT64, "bytes",
                         "bytes of operands and results, each counted once; 0: unknown")},
          STRATA_THIN_PART};
}

}  // namespace strata::cupti_timeline
