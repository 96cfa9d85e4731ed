// SPDX-License-Identifier: Apache-2.0
// The cost of a mark of strata/trainer.h for a program that runs without Strata: budget 1 ns. The
// fastest repetition counts (the machine may be shared).
//
//     bench_trainer_marks                the benchmark
//     bench_trainer_marks --loop N       N times each mark, for callgrind (bench/mark_instructions.sh)
#include <benchmark/benchmark.h>
#include <strata/trainer.h>

#include <cstdlib>
#include <string_view>

#include "bench/fastest.hpp"

namespace {

void mark_step(benchmark::State& state) {
  for (auto _ : state) {
    STRATA_STEP();
  }
}

void mark_phase(benchmark::State& state) {
  for (auto _ : state) {
    STRATA_PHASE("forward");
  }
}

void mark_module(benchmark::State& state) {
  for (auto _ : state) {
    STRATA_MODULE("layers.0", "Block");
  }
}

void c_mark_phase(benchmark::State& state) {
  for (auto _ : state) {
    const strata_mark phase = STRATA_PHASE_BEGIN("forward");
    benchmark::DoNotOptimize(phase);
    STRATA_PHASE_END(phase);
  }
}

BENCHMARK(mark_step)->Apply(strata::fastest_of_many);
BENCHMARK(mark_phase)->Apply(strata::fastest_of_many);
BENCHMARK(mark_module)->Apply(strata::fastest_of_many);
BENCHMARK(c_mark_phase)->Apply(strata::fastest_of_many);

}  // namespace

// Named for callgrind. One step with one phase and one module in it: three marks.
__attribute__((noinline)) void three_marks() {
  STRATA_STEP();
  STRATA_PHASE("forward");
  STRATA_MODULE("layers.0", "Block");
}

int main(int count, char** words) {
  unsetenv(STRATA_ATTACH_VARIABLE);
  if (count == 3 && std::string_view(words[1]) == "--loop") {
    for (long left = std::atol(words[2]); left > 0; --left) three_marks();
    return 0;
  }
  benchmark::Initialize(&count, words);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
