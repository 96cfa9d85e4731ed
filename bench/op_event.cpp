// SPDX-License-Identifier: Apache-2.0
// The cost of one operator's begin and end from a source through the session's fan-out into the spool, with
// the plugin cupti_timeline, and with a plugin that ignores them.
//
//     op_event                                 ns per operator
//     op_event --operators N timed|heard       only that many, for callgrind: with cupti_timeline, or with
//                                              the plugin that ignores them
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "bench/plugins/emitter.hpp"
#include "strata/runtime/session.hpp"
#include "tests/temporary_folder.hpp"

namespace {

// Holds every row of the run: the benchmark measures events, not a writer that falls behind.
constexpr std::uint64_t kSpoolBytes = std::uint64_t{256} << 20;

// The function in which callgrind counts.
[[gnu::noinline]] void begin_and_end(const strata::Emitter& emitter, const strata_op_info& op,
                                     std::int64_t operators) {
  for (std::int64_t i = 0; i < operators; ++i)
    emitter.emit->op_end(emitter.host, emitter.emit->op_begin(emitter.host, &op));
}

class TracedSession {
 public:
  explicit TracedSession(const std::string& plugin) : session_(options(plugin)) {
    session_.begin_run();
    session_.begin_step(0, 1);
    op_.struct_size = sizeof op_;
    op_.autograd_sequence = -1;
    emitter_.emit->intern(emitter_.host, "aten::mm", 8, &op_.name);
  }
  ~TracedSession() { session_.end_run(strata::RunEnd::kDone); }
  TracedSession(const TracedSession&) = delete;
  TracedSession& operator=(const TracedSession&) = delete;

  void run(std::int64_t operators) const { begin_and_end(emitter_, op_, operators); }

 private:
  strata::SessionOptions options(const std::string& plugin) {
    strata::SessionOptions options;
    options.name = "op_event";
    options.directory = folder_.path();
    options.plugin_path = {STRATA_BENCH_PLUGINS, STRATA_PLUGINS};
    options.sources = {
        {"emitter", {{"address", std::to_string(reinterpret_cast<std::uintptr_t>(&emitter_)), ""}}, ""}};
    options.plugins = {{.name = plugin, .options = {}, .place = ""}};
    options.strict = true;
    options.store.spool_bytes = kSpoolBytes;
    return options;
  }

  strata::test::TemporaryFolder folder_;
  strata::Emitter emitter_;
  strata_op_info op_{};
  strata::Session session_;
};

void op_event(benchmark::State& state, const char* plugin) {
  const TracedSession session(plugin);
  constexpr std::int64_t kOperators = 1000;
  for (auto _ : state) session.run(kOperators);
  state.SetItemsProcessed(state.iterations() * kOperators);
}
BENCHMARK_CAPTURE(op_event, heard, "counting_1")->Iterations(100)->Repetitions(10)->ReportAggregatesOnly();
BENCHMARK_CAPTURE(op_event, timed, "cupti_timeline")
    ->Iterations(100)
    ->Repetitions(10)
    ->ReportAggregatesOnly();

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--operators") == 0) {
    const bool timed = std::strcmp(argv[3], "timed") == 0;
    TracedSession(timed ? "cupti_timeline" : "counting_1").run(std::atoll(argv[2]));
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
