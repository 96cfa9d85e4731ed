/* SPDX-License-Identifier: Apache-2.0 */
/* strata.memory/1: every allocation and free by a framework's allocator. */
#ifndef STRATA_EXT_MEMORY_H
#define STRATA_EXT_MEMORY_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_MEMORY "strata.memory/1"

/* ALLOCATE is reported after the real allocation, FREE before the real free: two live blocks never seem to
 * share an address, whatever other threads do in between. */
#define STRATA_MEMORY_ALLOCATE 1u
#define STRATA_MEMORY_FREE 2u
#define STRATA_MEMORY_SEGMENT_ALLOCATE 3u
#define STRATA_MEMORY_SEGMENT_FREE 4u
/* An allocation of `bytes` failed; address is 0. Reported before the error reaches the program. */
#define STRATA_MEMORY_OUT_OF_MEMORY 5u
/* Follows a FREE, before the device's next event, if another stream still uses the block at that address. The
 * allocator does not reuse the block until FREE_COMPLETED. Most blocks are reusable at once and have neither
 * event. */
#define STRATA_MEMORY_FREE_DEFERRED 6u
#define STRATA_MEMORY_FREE_COMPLETED 7u
/* For an allocator that does not report segments: it now holds `bytes` of its device in total; address is 0.
 * Reported before the ALLOCATE that made it grow; after it shrank, at its next event. */
#define STRATA_MEMORY_RESERVED 8u

typedef struct strata_memory_event {
  uint32_t struct_size;
  uint32_t action; /* STRATA_MEMORY_* */
  strata_device device;
  uint64_t address;
  uint64_t bytes;  /* requested size; 0 in a FREE if the source does not know it */
  uint64_t stream; /* CUDA: the stream's handle, else 0 */
  uint64_t pool;   /* CUDA: the private pool's id, else 0 */
  /* Running total of all blocks ever handed out by this device's allocator, in bytes, without this event's
   * block. The difference to the device's next event is therefore the real size of an ALLOCATE's block, which
   * may exceed the request. 0 from an allocator that keeps no count. */
  uint64_t device_handed_out_bytes;
  /* OUT_OF_MEMORY: free bytes of the device, for any process, as the device reports them; UINT64_MAX if it
   * does not. Else 0. */
  uint64_t device_free_bytes;
} strata_memory_event;

typedef struct strata_memory_listener {
  uint32_t struct_size;
  uint32_t reserved;
  /* [alloc-lock] Bounded work; no allocation through the framework, no device call, no lock that other code
   * holds while it calls the framework. */
  void (*on_memory)(void* self, const strata_when* when, const strata_memory_event* memory);
} strata_memory_listener;

#ifdef __cplusplus
}
#endif

#endif
