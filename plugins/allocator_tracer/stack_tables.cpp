// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/stack_tables.hpp"

namespace strata::allocator_tracer {

Table<EventStackRow> event_stack_table(const Host& host) {
  return {host,
          "event_stack",
          "the stack of an allocation that was chosen for stack recording",
          {STRATA_COLUMN(EventStackRow, sequence, STRATA_COLUMN_UINT64, "", "of the event"),
           STRATA_COLUMN(EventStackRow, stack, STRATA_COLUMN_UINT64, "", "names rows of `stack_frame`"),
           STRATA_COLUMN(EventStackRow, chance, STRATA_COLUMN_REAL, "",
                         "chance of an allocation of this size to be chosen; bytes / chance estimates")},
          STRATA_THIN_OF_MEMORY};
}

Table<StackFrameRow> stack_frame_table(const Host& host) {
  return {host,
          "stack_frame",
          "a frame of a stack; each stack is written once",
          {STRATA_COLUMN(StackFrameRow, stack, STRATA_COLUMN_UINT64, "", "a hash of its addresses"),
           STRATA_COLUMN(StackFrameRow, position, STRATA_COLUMN_UINT32, "", "0 is the innermost"),
           STRATA_COLUMN(StackFrameRow, address, STRATA_COLUMN_UINT64, "",
                         "return address: the call ends one byte before")}};
}

Table<LibraryRow> library_table(const Host& host) {
  return {host,
          "library",
          "a file that was mapped into the process",
          {STRATA_COLUMN(LibraryRow, path, STRATA_COLUMN_STRING, "", "absolute"),
           STRATA_COLUMN(LibraryRow, build_id, STRATA_COLUMN_STRING, "", "hexadecimal; empty: none"),
           STRATA_COLUMN(LibraryRow, base, STRATA_COLUMN_UINT64, "",
                         "address in memory minus address in the file"),
           STRATA_COLUMN(LibraryRow, begin_address, STRATA_COLUMN_UINT64, "", "address of its first byte"),
           STRATA_COLUMN(LibraryRow, end_address, STRATA_COLUMN_UINT64, "", "address after its last byte"),
           STRATA_COLUMN(LibraryRow, modified_ns, STRATA_COLUMN_INT64, "ns",
                         "modification time of the file since 1970; 0: no file")}};
}

}  // namespace strata::allocator_tracer
