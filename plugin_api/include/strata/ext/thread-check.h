/* SPDX-License-Identifier: Apache-2.0 */
/* strata.thread-check/1: the thread tags of these headers, and what the host checks.
 *
 * - [loop-thread]: the thread that runs the training loop: run, step and phase events. It may change to
 *   another OS thread, but there are never two at once.
 * - [any]: any thread, several at once.
 * - [alloc-lock]: a thread inside an allocator, which may hold the allocator's lock: bounded work, no
 *   allocation through the framework, no device call, no lock that other code holds while it calls the
 *   framework.
 * - [cupti]: CUPTI's own worker thread.
 * - [exiting]: static destruction or atexit: no device call, no CUPTI call, other threads may be gone.
 *
 * The host always counts the following in the manifest: violations of pairing or order (the end of a step,
 * phase, module or op that is not open, a step inside another, a call of the loop thread before the run),
 * events that a listener causes inside a memory event, and calls of log, intern and declare there. With
 * checks on (STRATA_CHECK=1) it also logs each as HOST_MISBEHAVING or PLUGIN_MISBEHAVING, and detects two
 * threads that drive a run at once and a table declared on another thread than the loop thread. It cannot see
 * what a plugin does inside a call: blocking, allocating, calling a device. The consequences of the tags are
 * in conventions/threads.md. */
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
  /* [any] Returns 1 if the calling thread is currently the loop thread. */
  int32_t (*is_loop_thread)(const strata_host* host);
  /* [any] Returns 1 if the calling thread is inside a strata.memory/1 event. */
  int32_t (*is_under_allocator)(const strata_host* host);
} strata_thread_check_service;

#ifdef __cplusplus
}
#endif

#endif
