// SPDX-License-Identifier: Apache-2.0
// Benchmarks whose fastest repetition counts, since the machine may be shared.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

namespace strata {

// Shows the least of many short repetitions as "min", beside benchmark's own mean, median and deviation.
inline void fastest_of_many(benchmark::internal::Benchmark* benchmark) {
  benchmark->Repetitions(50)->MinTime(0.02)->ReportAggregatesOnly(true)->ComputeStatistics(
      "min", [](const std::vector<double>& values) { return *std::ranges::min_element(values); });
}

}  // namespace strata
