// SPDX-License-Identifier: Apache-2.0
// The cost of one allocation event in the torch source, the session's fan-out and the allocator tracer:
// an allocation and a free of the traced allocator, minus the same with the allocator it wraps,
// alternating.
//
//     allocation_event                             ns per event, on one thread and on two
//     allocation_event --pairs N traced|untraced   only that many allocations and frees, for callgrind
#include <benchmark/benchmark.h>
#include <c10/core/CPUAllocator.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "strata/runtime/session.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

constexpr std::int64_t kPairsABatch = 1000;
constexpr int kBatches = 100;
// Holds every row of the run: the benchmark measures events, not a writer that falls behind.
constexpr std::uint64_t kSpoolBytes = std::uint64_t{64} << 20;

// The function in which callgrind counts.
[[gnu::noinline]] void allocate_and_free(c10::Allocator& allocator, std::int64_t pairs) {
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const c10::DataPtr block = allocator.allocate(256);
    benchmark::DoNotOptimize(block.get());
  }
}

// A run with its store in a separate folder.
class TracedSession {
 public:
  TracedSession() : session_(options()) { session_.begin_run(); }
  ~TracedSession() { session_.end_run(strata::RunEnd::kDone); }
  TracedSession(const TracedSession&) = delete;
  TracedSession& operator=(const TracedSession&) = delete;

 private:
  strata::SessionOptions options() const {
    strata::SessionOptions options;
    options.name = "allocation_event";
    options.directory = folder_.path();
    options.sources = {{.name = "torch", .options = {}, .place = ""}};
    options.plugins = {{.name = "allocator_tracer", .options = {}, .place = ""}};
    options.strict = true;
    options.store.spool_bytes = kSpoolBytes;
    return options;
  }

  strata::test::TemporaryFolder folder_;
  strata::Session session_;
};

double seconds(c10::Allocator& allocator) {
  const auto begin = steady_clock::now();
  allocate_and_free(allocator, kPairsABatch);
  return duration<double>(steady_clock::now() - begin).count();
}

// One batch per repetition: an interrupted one is one of many and does not change the median.
void allocation_event(benchmark::State& state) {
  for (auto _ : state) {
    const double untraced = seconds(*c10::GetDefaultCPUAllocator());
    const double traced = seconds(*c10::GetCPUAllocator());
    state.SetIterationTime(std::max(0.0, traced - untraced) / (2.0 * kPairsABatch));
  }
}
BENCHMARK(allocation_event)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(kBatches)
    ->ReportAggregatesOnly()
    ->Threads(1)
    ->Threads(2);

}  // namespace

int main(int argc, char** argv) {
  const TracedSession session;
  if (argc == 4 && std::strcmp(argv[1], "--pairs") == 0) {
    allocate_and_free(
        std::strcmp(argv[3], "traced") == 0 ? *c10::GetCPUAllocator() : *c10::GetDefaultCPUAllocator(),
        std::atoll(argv[2]));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
