// SPDX-License-Identifier: Apache-2.0
// The cost of an allocation's stack: allocations with a stack, minus smaller ones of the same allocator
// without one, alternating, at several depths. The slope over depth is the cost per frame.
//
//     allocation_stack                            ns per stack; the name ends with the depth in frames
//     allocation_stack --stacks N DEPTH BYTES     only that many allocations, for callgrind: of 64 bytes
//                                                 without a stack, of 256 with one
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

constexpr std::int64_t kAllocationsABatch = 1000;
constexpr int kBatches = 60;
constexpr std::size_t kWithoutStack = 64, kWithStack = 256;
constexpr const char* kThreshold = "0.0001";  // MiB: between the two
constexpr std::uint64_t kSpoolBytes = std::uint64_t{64} << 20;

// The function in which callgrind counts.
[[gnu::noinline]] void allocate_and_free(std::size_t bytes, std::int64_t allocations) {
  for (std::int64_t allocation = 0; allocation < allocations; ++allocation) {
    const c10::DataPtr block = c10::GetCPUAllocator()->allocate(bytes);
    benchmark::DoNotOptimize(block.get());
  }
}

[[gnu::noinline]] void allocate_below(std::int64_t frames, std::size_t bytes, std::int64_t allocations) {
  if (frames == 0) {
    allocate_and_free(bytes, allocations);
  } else {
    allocate_below(frames - 1, bytes, allocations);
  }
  benchmark::ClobberMemory();  // no tail call: each call is a frame
}

class TracedSession {
 public:
  TracedSession() : session_(options()) { session_.begin_run(); }
  ~TracedSession() { session_.end_run(strata::RunEnd::kDone); }
  TracedSession(const TracedSession&) = delete;
  TracedSession& operator=(const TracedSession&) = delete;

 private:
  strata::SessionOptions options() const {
    strata::SessionOptions options;
    options.name = "allocation_stack";
    options.directory = folder_.path();
    options.sources = {{.name = "torch", .options = {}, .place = ""}};
    options.plugins = {
        {.name = "allocator_tracer", .options = {{"stacks_above_mib", kThreshold, ""}}, .place = ""}};
    options.strict = true;
    options.store.spool_bytes = kSpoolBytes;
    return options;
  }

  strata::test::TemporaryFolder folder_;
  strata::Session session_;
};

double seconds(std::int64_t frames, std::size_t bytes) {
  const auto begin = steady_clock::now();
  allocate_below(frames, bytes, kAllocationsABatch);
  return duration<double>(steady_clock::now() - begin).count();
}

void allocation_stack(benchmark::State& state) {
  for (auto _ : state) {
    const double without = seconds(state.range(0), kWithoutStack);
    const double with = seconds(state.range(0), kWithStack);
    state.SetIterationTime(std::max(0.0, with - without) / kAllocationsABatch);
  }
}
BENCHMARK(allocation_stack)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(kBatches)
    ->ReportAggregatesOnly()
    ->Arg(0)
    ->Arg(20)
    ->Arg(60);

}  // namespace

int main(int argc, char** argv) {
  const TracedSession session;
  if (argc == 5 && std::strcmp(argv[1], "--stacks") == 0) {
    allocate_below(std::atoll(argv[3]), std::strtoull(argv[4], nullptr, 10), std::atoll(argv[2]));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
