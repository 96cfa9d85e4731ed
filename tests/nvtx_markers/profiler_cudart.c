/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of a CUDA runtime, and of its driver, that a capture calls; they count their calls. */
int profiler_calls[3];
int profiler_answer;
int profiler_has_context;

/* NOLINTBEGIN(readability-identifier-naming): CUDA's names */
int cuCtxGetCurrent(void** context) {
  *context = profiler_has_context ? &profiler_has_context : 0;
  return 0;
}

int cudaProfilerStart(void) {
  ++profiler_calls[0];
  return profiler_answer;
}

int cudaProfilerStop(void) {
  ++profiler_calls[1];
  return profiler_answer;
}

int cudaDeviceSynchronize(void) {
  ++profiler_calls[2];
  return profiler_answer;
}
/* NOLINTEND(readability-identifier-naming) */
