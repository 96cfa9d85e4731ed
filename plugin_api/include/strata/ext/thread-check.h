/* SPDX-License-Identifier: Apache-2.0 */
/* strata.thread-check/1: the symbolic threads of every tag in these headers.
 *
 * - [loop-thread]: the thread that runs the training loop: run, step and phase events. Not tied to one OS
 * thread for ever, but never two at once.
 * - [any]: any thread, several at once.
 * - [alloc-lock]: some thread inside an allocator, perhaps with the allocator's lock held: bounded work, no
 *   allocation through the framework, no device call, no lock that other code holds while it calls the
 *   framework.
 * - [cupti]: CUPTI's own worker thread.
 * - [exiting]: static destruction or atexit: no device call, no CUPTI call, other threads may be gone.
 *
 * The host always counts, for the manifest, what breaks pairing or order (a step, phase, module or op that
 * ends unopened, a step inside another, a call of the loop thread's before the run), what a listener causes
 * inside a memory event, and calls of log, intern and declare there. With checks on (STRATA_CHECK=1) it logs
 * each as HOST_MISBEHAVING or PLUGIN_MISBEHAVING, and notices two threads that drive a run at once, and a
 * table that is declared on another thread than the loop thread's. It does not see what a plugin does by
 * itself: that a listener blocks, allocates or calls a device. What follows from the tags is in
 * conventions/threads.md. */
#ifndef STRATA_EXT_THREAD_CHECK_H
#define STRATA_EXT_THREAD_CHECK_H

#include "../host.h"

#ifdef __cplusplus
extern "C" {
#endif

#define STRATA_EXT_THREAD_CHECK "strata.thread-check/1"

typedef struct strata_thread_check_service {
  uint32_t struct_size;
  uint32_t reserved;
  /* [any] 1 when the calling thread is the loop thread now. */
  int32_t (*is_loop_thread)(const strata_host* host);
  /* [any] 1 when the calling thread is inside a strata.memory/1 event. */
  int32_t (*is_under_allocator)(const strata_host* host);
} strata_thread_check_service;

#ifdef __cplusplus
}
#endif

#endif
