// SPDX-License-Identifier: Apache-2.0
// Benchmarks that report the fastest repetition, because the machine may be shared.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

namespace strata {

// Adds the minimum of many short repetitions as "min" to the benchmark's own mean, median and deviation.
inline void fastest_of_many(benchmark::internal::Benchmark* benchmark) {
  benchmark->Repetitions(50)->MinTime(0.02)->ReportAggregatesOnly(true)->ComputeStatistics(
      "min", [](const std::vector<double>& values) { return *std::ranges::min_element(values); });
}

}  // namespace strata
