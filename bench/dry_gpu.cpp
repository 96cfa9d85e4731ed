// SPDX-License-Identifier: Apache-2.0
// The cost of the dry GPU's own calls: a launch, an allocation with its free, a product of cuBLAS.
#include <benchmark/benchmark.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "strata/dry_gpu.h"

namespace {

constexpr const char* kProfile =
    "key bench\nname Bench GPU\nmemory_bytes 85899345920\ncontext_bytes 536870912\ncompute_major "
    "9\ncompute_minor 0\n"
    "multiprocessors 132\nthreads_per_multiprocessor 2048\nblocks_per_multiprocessor 32\n"
    "shared_bytes_per_multiprocessor 233472\nshared_bytes_per_block_optin 232448\nl2_bytes 52428800\n"
    "memory_bus_bits 5120\nmemory_clock_khz 2619000\nclock_khz 1980000\ndevices 1\nspan_bytes "
    "1099511627776\n";

void dry_launch(benchmark::State& state) {
  static const char kernel = 0;
  for ([[maybe_unused]] auto each : state) {
    if (cudaLaunchKernel(&kernel, {1, 1, 1}, {256, 1, 1}, nullptr, 0, nullptr) != cudaSuccess) std::abort();
  }
}

// With `live` other blocks; two calls per iteration.
void dry_allocation_and_free(benchmark::State& state) {
  std::vector<void*> live(static_cast<std::size_t>(state.range(0)));
  for (void*& block : live) cudaMalloc(&block, std::size_t{20} << 20);
  for ([[maybe_unused]] auto each : state) {
    void* block = nullptr;
    if (cudaMalloc(&block, std::size_t{20} << 20) != cudaSuccess || cudaFree(block) != cudaSuccess)
      std::abort();
  }
  for (void* block : live) cudaFree(block);
}

void dry_product(benchmark::State& state) {
  cublasHandle_t handle = nullptr;
  cublasCreate(&handle);
  const float one = 1;
  for ([[maybe_unused]] auto each : state) {
    cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, nullptr, 64, nullptr, 64, &one, nullptr,
                64);
  }
  cublasDestroy(handle);
}

double minimum(const std::vector<double>& all) {
  return *std::min_element(all.begin(), all.end());
}

// The fastest of many short repetitions, because the machine may be shared.
void repeat(benchmark::internal::Benchmark* benchmark) {
  benchmark->MinTime(0.02)->Repetitions(50)->ReportAggregatesOnly(true)->ComputeStatistics("min", minimum);
}

BENCHMARK(dry_launch)->Apply(repeat);
BENCHMARK(dry_allocation_and_free)->Arg(0)->Arg(2000)->Apply(repeat);
BENCHMARK(dry_product)->Apply(repeat);

}  // namespace

int main(int argc, char** argv) {
  char problem[256];
  if (strata_dry_gpu_choose(kProfile, problem, sizeof problem) != 0) {
    std::fprintf(stderr, "%s\n", problem);
    return 1;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
