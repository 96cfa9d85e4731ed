// SPDX-License-Identifier: Apache-2.0
// The cost of an event in source, host and plugins that ignore it, for 0, 1 and 4 plugins, each a separate
// shared object. Budgets: 5 ns with none, 100 ns with four, for the fastest repetition (the machine may be
// shared).
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "bench/fastest.hpp"
#include "bench/plugins/emitter.hpp"
#include "strata/runtime/session.hpp"

namespace strata {
namespace {

// A run with that many counting plugins.
class Run {
 public:
  explicit Run(std::int64_t plugins) : session_(options(plugins)) {
    session_.begin_run();
    session_.ready();
    session_.begin_step(0, 1);
  }

  Session& session() { return session_; }
  const Emitter& emitter() const { return emitter_; }

 private:
  SessionOptions options(std::int64_t plugins) {
    SessionOptions options;
    options.plugin_path = {STRATA_BENCH_PLUGINS};
    for (std::int64_t i = 1; i <= plugins; ++i)
      options.plugins.push_back({"counting_" + std::to_string(i), {}, ""});
    options.sources = {
        {"emitter", {{"address", std::to_string(reinterpret_cast<std::uintptr_t>(&emitter_)), ""}}, ""}};
    options.strict = true;
    return options;
  }

  Emitter emitter_;
  Session session_;
};

void memory_event(benchmark::State& state) {
  Run run(state.range(0));
  const Emitter emitter = run.emitter();
  strata_memory_event event{};
  event.struct_size = sizeof event;
  event.action = STRATA_MEMORY_ALLOCATE;
  event.device = {STRATA_DEVICE_CPU, 0};
  event.bytes = 64;
  for (auto _ : state) {
    event.address += 64;
    emitter.emit->memory(emitter.host, &event);
  }
}

void op_begin_and_end(benchmark::State& state) {
  Run run(state.range(0));
  const Emitter emitter = run.emitter();
  strata_op_info op{};
  op.struct_size = sizeof op;
  emitter.emit->intern(emitter.host, "aten::mm", 8, &op.name);
  for (auto _ : state) emitter.emit->op_end(emitter.host, emitter.emit->op_begin(emitter.host, &op));
}

void phase_begin_and_end(benchmark::State& state) {
  Run run(state.range(0));
  Session& session = run.session();
  for (auto _ : state) session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
}

void with_plugins(benchmark::internal::Benchmark* benchmark) {
  fastest_of_many(benchmark->ArgName("plugins")->Arg(0)->Arg(1)->Arg(4));
}

BENCHMARK(memory_event)->Apply(with_plugins);
BENCHMARK(op_begin_and_end)->Apply(with_plugins);
BENCHMARK(phase_begin_and_end)->Apply(with_plugins);

}  // namespace
}  // namespace strata
