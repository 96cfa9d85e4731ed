/* SPDX-License-Identifier: Apache-2.0 */
/* strata.memory/1: every allocation and free that a framework's allocator makes. */
#ifndef STRATA_EXT_MEMORY_H
#define STRATA_EXT_MEMORY_H

#include "../events.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_MEMORY "strata.memory/1"

/* An ALLOCATE comes after the real allocation, a FREE before the real free: at no moment do two live blocks
 * seem to share an address, whatever other threads do in between. */
#define STRATA_MEMORY_ALLOCATE 1u
#define STRATA_MEMORY_FREE 2u
#define STRATA_MEMORY_SEGMENT_ALLOCATE 3u
#define STRATA_MEMORY_SEGMENT_FREE 4u
/* `bytes` were asked for and not had; address is 0. Told before the program learns of it. */
#define STRATA_MEMORY_OUT_OF_MEMORY 5u
/* After a FREE, and before the device's next event: another stream still uses the block of that address,
 * which the allocator gives to nobody until FREE_COMPLETED. Most blocks are their allocator's again at once,
 * and have neither. */
#define STRATA_MEMORY_FREE_DEFERRED 6u
#define STRATA_MEMORY_FREE_COMPLETED 7u
/* From an allocator that tells of no segments: it now holds `bytes` of its device, in all; address is 0. Told
 * before the ALLOCATE that it grew for; where it shrank, at the next event that asks. */
#define STRATA_MEMORY_RESERVED 8u

typedef struct strata_memory_event {
  uint32_t struct_size;
  uint32_t action; /* STRATA_MEMORY_* */
  strata_device device;
  uint64_t address;
  uint64_t bytes;  /* as asked for; 0 in a FREE whose source does not know it */
  uint64_t stream; /* CUDA: the stream's handle, else 0 */
  uint64_t pool;   /* CUDA: the private pool's id, else 0 */
  /* The bytes of all blocks that this device's allocator ever handed out, without this event's own: so the
   * device's next event tells the size of the block that an ALLOCATE made, which may be larger than what was
   * asked for. 0 from an allocator that keeps no count. */
  uint64_t device_handed_out_bytes;
  /* OUT_OF_MEMORY: what the device said is free, for any process; UINT64_MAX where it says nothing. Else 0.
   */
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
