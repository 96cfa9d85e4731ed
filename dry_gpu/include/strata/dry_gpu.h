/* SPDX-License-Identifier: Apache-2.0 */
/* The dry GPU's own functions: libstrata_dry_gpu.so, opened with dlopen before anything of CUDA is. All are
 * thread-safe, and none throws. */
#ifndef STRATA_DRY_GPU_H
#define STRATA_DRY_GPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses the devices of this process: "key value" lines (dry_gpu/device/profile/profile.hpp has the keys).
 * Before CUDA's first call. Without a choice, the file is read that the environment variable STRATA_DRY_GPU
 * names; without that either, there is no device. Returns 0, or -1 with the problem in `problem`. */
int strata_dry_gpu_choose(const char* profile, char* problem, size_t problem_bytes);

/* Where messages go, a line without its end each; NULL: stderr. */
void strata_dry_gpu_send_messages_to(void (*sink)(const char* message));

/* From now on the child of a fork goes on with a copy of this process's devices, to try things.
 * CUDA refuses everything in such a child, and so does this library without this call. */
void strata_dry_gpu_copy_to_children(void);

/* In such a child, before it has other threads: its account goes on in a file of its own, in the folder that
 * STRATA_DRY_GPU_ACCOUNTS names by now, with what its parent's held at the fork. */
void strata_dry_gpu_move_account(void);

/* What a result must own up to. */
typedef struct strata_dry_gpu_counts {
  uint64_t launches;       /* kernels that were not run */
  uint64_t library_calls;  /* computations of libraries that were not done */
  uint64_t unknown_reads;  /* copies to the host of what a kernel would have written: zeros */
  uint64_t unknown_bytes;  /* of them */
  uint64_t unknown_times;  /* distances between events that were asked for: zero */
  uint64_t answered_reads; /* that would have been unknown; the user's answers gave them */
  uint64_t assumed_reads;  /* likewise; conditions on values that were taken to be met */
  uint64_t communicators;  /* of NCCL, whose memory on a card is not documented */
  /* sizes of libraries' workspaces that no documentation tells: the least, or what a setting says */
  uint64_t unknown_workspaces;
  uint64_t asked_workspaces;   /* sizes that the real library told */
  uint64_t fitted_workspaces;  /* sizes by a formula that was fitted to measurements of an H200 */
  uint64_t bounded_workspaces; /* sizes of which only an upper bound is known */
} strata_dry_gpu_counts;

strata_dry_gpu_counts strata_dry_gpu_count(void);

/* The same of another process, also of one that is over, however it ended: the environment variable
 * STRATA_DRY_GPU_ACCOUNTS names a folder, and each process that uses the library keeps a file "<pid>.account"
 * there, which it maps and which holds this. Counts are sums over their 16 slots; the threads of a process
 * share those. */
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

/* Who reads what nobody knows: an operator of PyTorch, "aten::nonzero", or else a function. The last row is
 * "others" where there are more. */
typedef struct strata_dry_gpu_reader {
  char name[104]; /* NUL-terminated; empty: not written yet */
  uint64_t unknown_reads;
  uint64_t unknown_bytes;
  uint64_t answered_reads;
} strata_dry_gpu_reader;

/* Parts of a context, which take their memory when a program touches them first: kernels, cuBLAS, cuDNN,
 * cuSOLVER, cuFFT, PyTorch's flash attention, NCCL; the rest is reserved. */
#define STRATA_DRY_GPU_CONTEXT_PARTS 8

typedef struct strata_dry_gpu_context_part {
  uint64_t bytes;       /* of the device where it was touched first; 0: it was not */
  uint64_t after_calls; /* for that device's memory: how many there had been */
} strata_dry_gpu_context_part;

/* Time that the modelled clock said work would take: no measurement. By model: matrix products, kernels whose
 * name tells what they move, foreach kernels, copies, fills, other kernels; the rest is reserved. */
#define STRATA_DRY_GPU_MODELS 8

typedef struct strata_dry_gpu_modelled {
  uint64_t works;
  uint64_t ns;
} strata_dry_gpu_modelled;

typedef struct strata_dry_gpu_account {
  char kind[16];              /* STRATA_DRY_GPU_ACCOUNT */
  uint64_t devices;           /* 0: the process never asked for one */
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

/* Of this process: whether it has a modelled clock, and what that said, STRATA_DRY_GPU_MODELS entries. */
int strata_dry_gpu_count_modelled(strata_dry_gpu_modelled* by_model);

/* Of this process: STRATA_DRY_GPU_CONTEXT_PARTS entries. */
void strata_dry_gpu_set_context_parts(strata_dry_gpu_context_part* parts);

/* Calls `visit` for each function that was called and is not implemented. */
void strata_dry_gpu_visit_refused(void (*visit)(void* context, const char* function, uint64_t calls),
                                  void* context);

/* Calls `visit` for each that has read what nobody knows, answered or not. */
void strata_dry_gpu_visit_readers(void (*visit)(void* context, const strata_dry_gpu_reader* reader),
                                  void* context);

#ifdef __cplusplus
}
#endif

#endif
