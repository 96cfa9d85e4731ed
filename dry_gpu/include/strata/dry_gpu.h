/* The dry GPU's own functions: libstrata_dry_gpu.so, opened with dlopen before anything of CUDA is. All are
 * thread-safe, and none throws. */
#ifndef STRATA_DRY_GPU_H
#define STRATA_DRY_GPU_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Chooses the devices of this process: "key value" lines (dry_gpu/device/profile.hpp has the keys). Before
 * CUDA's first call. Without a choice, the file is read that the environment variable STRATA_DRY_GPU names;
 * without that either, there is no device. Returns 0, or -1 with the problem in `problem`. */
int strata_dry_gpu_choose(const char* profile, char* problem, size_t problem_bytes);

/* Where messages go, a line without its end each; NULL: stderr. */
void strata_dry_gpu_send_messages_to(void (*sink)(const char* message));

/* What a result must own up to. */
typedef struct strata_dry_gpu_counts {
  uint64_t launches;      /* kernels that were not run */
  uint64_t library_calls; /* computations of libraries that were not done */
  uint64_t unknown_reads; /* copies to the host of what a kernel would have written: zeros */
  uint64_t unknown_bytes; /* of them */
  uint64_t unknown_times; /* distances between events that were asked for: zero */
} strata_dry_gpu_counts;

strata_dry_gpu_counts strata_dry_gpu_count(void);

/* Calls `visit` for each function that was called and is not implemented. */
void strata_dry_gpu_visit_refused(void (*visit)(void* context, const char* function, uint64_t calls),
                                  void* context);

#ifdef __cplusplus
}
#endif

#endif
