/* SPDX-License-Identifier: Apache-2.0 */
/* What a program in another language calls to open a session of its own process, or to mark what it does in
 * the one that `strata exec` opened: functions of libstrata_attach.so, plain enough for any foreign function
 * interface. The Python package is written against them.
 *
 * All are [any] but where it says [loop-thread]; none throws; each does nothing while no session is open, and
 * in a forked child. Text is UTF-8, ends with a zero, and is valid for the call. */
#ifndef STRATA_DROP_IN_PROGRAM_CALLS_H
#define STRATA_DROP_IN_PROGRAM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 while a session records this process. */
int strata_program_is_recording(void);

/* [loop-thread] Opens one as the file says that `strata record begin` wrote. 0: it is open; else `problem`
 * holds why not, cut to its size. */
int strata_program_open(const char* settings, char* problem, size_t problem_bytes);
/* [loop-thread] Ends the run. `reason`: STRATA_RUN_* of strata/ext/run.h. */
void strata_program_close(uint32_t reason);

/* [loop-thread] An iteration of the training loop ends here and the next begins. `loss`: not a number where
 * there is none. */
void strata_program_step(double loss, uint64_t tokens);

/* [loop-thread] `name`: "forward", "zero_grad" and the other kinds of strata/ext/phase.h in small letters;
 * any other name is of no kind. Returns what the end wants. */
uint32_t strata_program_begin_phase(const char* name);
void strata_program_end_phase(uint32_t phase);

/* As strata/ext/module.h: the end on the thread of its begin. Begin returns 0 where nobody is told. */
uint32_t strata_program_begin_module(const char* path, const char* type, uint32_t direction);
void strata_program_end_module(uint32_t module);
/* 1 where a plugin listens to modules: what costs much to find out is for those who ask. */
int strata_program_plugins_want_modules(void);

/* As strata/ext/tensor.h. */
void strata_program_tensor(uint32_t role, const char* name, const char* dtype, uint32_t device_type,
                           int32_t device_index, uint64_t address, uint64_t storage_bytes,
                           uint64_t owner_address, const int64_t* sizes, uint32_t dimensions,
                           uint32_t is_frozen);

#ifdef __cplusplus
}
#endif

#endif
