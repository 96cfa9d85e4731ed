/* SPDX-License-Identifier: Apache-2.0 */
/* The dry GPU's own functions: libstrata_dry_gpu.so, opened with dlopen before any CUDA library. All are
 * thread-safe and none throws. */
#ifndef STRATA_DRY_GPU_H
#define STRATA_DRY_GPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses the devices of this process: "key value" lines (keys: dry_gpu/device/profile/profile.hpp). Call
 * before the first CUDA call. Without this call, the file named by the environment variable STRATA_DRY_GPU is
 * read; without that variable, there is no device. Returns 0, or -1 with the reason, NUL-terminated, in
 * `problem`. */
int strata_dry_gpu_choose(const char* profile, char* problem, size_t problem_bytes);

/* Sets the receiver of messages, one line each without a newline. NULL: stderr. */
void strata_dry_gpu_send_messages_to(void (*sink)(const char* message));

/* From now on, forked children continue with a copy of this process's devices, to run trials. CUDA fails all
 * calls in a forked child, and so does this library without this call. */
void strata_dry_gpu_copy_to_children(void);

/* For such a child, before it has other threads: its account continues in its own file, in the folder that
 * STRATA_DRY_GPU_ACCOUNTS now names, starting with the parent's values at the fork. */
void strata_dry_gpu_move_account(void);

/* The next ncclCommSplit of this thread that has a color makes a communicator of `size` ranks, of which this
 * process is `rank`. In NCCL only the ranks together know that. size 0: unknown again. */
void strata_dry_gpu_expect_split(int rank, int size);

/* The next unknown count that this thread reads, 4 or 8 bytes, is `count`, unless an answer is given for it.
 * is_expected 0: no longer. */
void strata_dry_gpu_expect_count(uint64_t count, int is_expected);

/* Whether an operator of PyTorch has read an unknown value that gives the size of its result, as nonzero
 * does: any but .item() and copies, which hand on what they read. */
int strata_dry_gpu_were_sizes_unknown(void);

/* Copies `bytes` bytes of device memory to `target`, and returns 1, if all of them are known; else returns 0.
 * Counts no read. */
int strata_dry_gpu_read_known(const void* address, size_t bytes, void* target);

/* From now on the memory is known to have these bytes, until something may write to it. */
void strata_dry_gpu_keep(void* address, const void* bytes, size_t count);

/* Counts of everything that limits the validity of a result. */
typedef struct strata_dry_gpu_counts {
  uint64_t launches;       /* kernels that were not run */
  uint64_t library_calls;  /* computations of libraries that were not done */
  uint64_t unknown_reads;  /* host copies of data that a kernel would have written: zeros */
  uint64_t unknown_bytes;  /* in these reads */
  uint64_t unknown_times;  /* requested times between events, of which none is known */
  uint64_t answered_reads; /* reads answered by the user's answers instead */
  uint64_t assumed_reads;  /* the same for conditions assumed to be met, and for expected counts */
  uint64_t communicators;  /* of NCCL, whose memory on a real GPU is not documented */
  /* library workspaces of undocumented size: the minimum, or the value of a setting */
  uint64_t unknown_workspaces;
  uint64_t asked_workspaces;   /* sizes reported by the real library */
  uint64_t fitted_workspaces;  /* sizes from a formula fitted to measurements of an H200 */
  uint64_t bounded_workspaces; /* sizes with only a known upper bound */
} strata_dry_gpu_counts;

strata_dry_gpu_counts strata_dry_gpu_count(void);

/* The same for another process, even if it has ended, however it ended. The environment variable
 * STRATA_DRY_GPU_ACCOUNTS names a folder. Each process that uses the library maps a file "<pid>.account"
 * there, which contains this struct. Counts are sums over their 16 slots, which the threads of a process
 * share. */
#define STRATA_DRY_GPU_ACCOUNT "strata.dry/6"
#define STRATA_DRY_GPU_ACCOUNT_SLOTS 16
#define STRATA_DRY_GPU_ACCOUNT_REFUSED 128
#define STRATA_DRY_GPU_ACCOUNT_READERS 64

typedef struct strata_dry_gpu_slot {
  uint64_t value;
  uint64_t reserved[7];
} strata_dry_gpu_slot;

typedef struct strata_dry_gpu_refused {
  char function[56]; /* NUL-terminated; empty: not written yet */
  uint64_t calls;
} strata_dry_gpu_refused;

/* The readers of unknown values: an operator of PyTorch, "aten::nonzero", or else a function. If there are
 * too many, the last entry is "others". */
typedef struct strata_dry_gpu_reader {
  char name[104]; /* NUL-terminated; empty: not written yet */
  uint64_t unknown_reads;
  uint64_t unknown_bytes;
  uint64_t answered_reads;
} strata_dry_gpu_reader;

/* The parts of a context, which take their memory when a program first uses them: kernels, cuBLAS, cuDNN,
 * cuSOLVER, cuFFT, PyTorch's flash attention, NCCL. The remaining entries are reserved. */
#define STRATA_DRY_GPU_CONTEXT_PARTS 8

typedef struct strata_dry_gpu_context_part {
  uint64_t bytes;       /* on the first device that used it; 0: not used */
  uint64_t after_calls; /* number of earlier calls for that device's memory */
} strata_dry_gpu_context_part;

/* Durations computed by the modelled clock, not measured. By model: matrix products, kernels whose name gives
 * the bytes they move, foreach kernels, copies, fills, other kernels. The remaining entries are reserved. */
#define STRATA_DRY_GPU_MODELS 8

typedef struct strata_dry_gpu_modelled {
  uint64_t works;
  uint64_t ns;
} strata_dry_gpu_modelled;

typedef struct strata_dry_gpu_account {
  char kind[16];              /* STRATA_DRY_GPU_ACCOUNT */
  uint64_t devices;           /* 0: the process never requested one */
  uint64_t refused_functions; /* all of them; the first ones are named below */
  uint64_t reserved[4];
  strata_dry_gpu_slot launches[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot library_calls[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot unknown_reads[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot unknown_bytes[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot unknown_times[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot answered_reads[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot assumed_reads[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot communicators[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot unknown_workspaces[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot asked_workspaces[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot fitted_workspaces[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_slot bounded_workspaces[STRATA_DRY_GPU_ACCOUNT_SLOTS];
  strata_dry_gpu_refused refused[STRATA_DRY_GPU_ACCOUNT_REFUSED];
  strata_dry_gpu_reader readers[STRATA_DRY_GPU_ACCOUNT_READERS];
  strata_dry_gpu_context_part context_parts[STRATA_DRY_GPU_CONTEXT_PARTS];
  uint64_t is_modelled; /* 1: there is a modelled clock */
  strata_dry_gpu_modelled modelled[STRATA_DRY_GPU_MODELS];
  uint64_t reserved_end[7];
} strata_dry_gpu_account;

/* For this process: returns whether it has a modelled clock, and fills `by_model`, STRATA_DRY_GPU_MODELS
 * entries. */
int strata_dry_gpu_count_modelled(strata_dry_gpu_modelled* by_model);

/* For this process: fills STRATA_DRY_GPU_CONTEXT_PARTS entries. */
void strata_dry_gpu_set_context_parts(strata_dry_gpu_context_part* parts);

/* Calls `visit` for each function that was called although it is not implemented. */
void strata_dry_gpu_visit_refused(void (*visit)(void* context, const char* function, uint64_t calls),
                                  void* context);

/* Calls `visit` for each reader of unknown values, answered or not. */
void strata_dry_gpu_visit_readers(void (*visit)(void* context, const strata_dry_gpu_reader* reader),
                                  void* context);

#ifdef __cplusplus
}
#endif

#endif
