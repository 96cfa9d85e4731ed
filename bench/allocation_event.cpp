// What one allocation event costs on its way through the torch source, the session's fan-out and the
// allocator tracer: an allocation and a free of the traced allocator, less the same of the allocator it
// wraps, taken in turn.
//
//     allocation_event                             ns an event, on one thread and on two
//     allocation_event --pairs N traced|untraced   only that many allocations and frees, for callgrind
#include <benchmark/benchmark.h>
#include <c10/core/CPUAllocator.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "strata/runtime/session.hpp"

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

constexpr std::int64_t kPairsABatch = 1000;
// Between batches the writer empties the spool: what is measured is an event, not a writer that cannot
// follow.
constexpr std::chrono::milliseconds kBreak{5};

// One name for callgrind to count in.
[[gnu::noinline]] void allocate_and_free(c10::Allocator& allocator, std::int64_t pairs) {
  for (std::int64_t pair = 0; pair < pairs; ++pair) {
    const c10::DataPtr block = allocator.allocate(256);
    benchmark::DoNotOptimize(block.get());
  }
}

// A run with its store in a folder that is removed afterwards.
class TracedSession {
 public:
  TracedSession() : session_(options()) { session_.begin_run(); }
  ~TracedSession() {
    session_.end_run(strata::RunEnd::kDone);
    std::filesystem::remove_all(directory());
  }
  TracedSession(const TracedSession&) = delete;
  TracedSession& operator=(const TracedSession&) = delete;

 private:
  static std::filesystem::path directory() {
    static const std::filesystem::path made = [] {
      std::string name = (std::filesystem::temp_directory_path() / "allocation-event-XXXXXX").string();
      return std::filesystem::path(mkdtemp(name.data()));
    }();
    return made;
  }

  static strata::SessionOptions options() {
    strata::SessionOptions options;
    options.name = "allocation_event";
    options.directory = directory();
    options.sources = {{.name = "torch", .options = {}, .place = ""}};
    options.plugins = {{.name = "allocator_tracer", .options = {}, .place = ""}};
    options.strict = true;
    return options;
  }

  strata::Session session_;
};

double seconds(c10::Allocator& allocator) {
  const auto begin = steady_clock::now();
  allocate_and_free(allocator, kPairsABatch);
  return duration<double>(steady_clock::now() - begin).count();
}

void allocation_event(benchmark::State& state) {
  static std::unique_ptr<TracedSession> session;
  if (state.thread_index() == 0) session = std::make_unique<TracedSession>();
  for (auto _ : state) {
    const double untraced = seconds(*c10::GetDefaultCPUAllocator());
    const double traced = seconds(*c10::GetCPUAllocator());
    state.SetIterationTime((traced - untraced) / (2.0 * kPairsABatch));
    std::this_thread::sleep_for(kBreak);
  }
  if (state.thread_index() == 0) session.reset();
}
BENCHMARK(allocation_event)->UseManualTime()->Iterations(400)->Repetitions(5)->ReportAggregatesOnly();
BENCHMARK(allocation_event)
    ->UseManualTime()
    ->Iterations(400)
    ->Repetitions(5)
    ->ReportAggregatesOnly()
    ->Threads(2);

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--pairs") == 0) {
    const TracedSession session;
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
