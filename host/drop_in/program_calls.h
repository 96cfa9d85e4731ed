/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of libstrata_attach.so with which a program in another language opens a session of its own
 * process, or marks its actions in the session that `strata exec` opened. They are simple enough for any
 * foreign function interface; the Python package uses them.
 *
 * All are [any] unless marked [loop-thread]. None throws. They have no effect while no session is open, and
 * in a forked child. Text is UTF-8, NUL-terminated, and valid for the call. */
#ifndef STRATA_DROP_IN_PROGRAM_CALLS_H
#define STRATA_DROP_IN_PROGRAM_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 while a session records this process. */
int strata_program_is_recording(void);

/* [loop-thread] Opens a session according to the file written by `strata record begin`. Returns 0 if it is
 * open; otherwise `problem` contains the reason, NUL-terminated and truncated to `problem_bytes`. */
int strata_program_open(const char* settings, char* problem, size_t problem_bytes);
/* [loop-thread] Ends the run. `reason`: STRATA_RUN_* of strata/ext/run.h. */
void strata_program_close(uint32_t reason);

/* [loop-thread] An iteration of the training loop ends here and the next begins. `loss`: NaN if there is
 * none. */
void strata_program_step(double loss, uint64_t tokens);

/* [loop-thread] `name`: "forward", "zero_grad" and the other kinds of strata/ext/phase.h in lower case; any
 * other name has no kind. Pass the result to the end. */
uint32_t strata_program_begin_phase(const char* name);
void strata_program_end_phase(uint32_t phase);

/* As strata/ext/module.h: the end on the thread of its begin. Begin returns 0 if nothing listens. */
uint32_t strata_program_begin_module(const char* path, const char* type, uint32_t direction);
void strata_program_end_module(uint32_t module);
/* Returns 1 if a plugin listens to modules: details that are expensive to obtain are only needed then. */
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
