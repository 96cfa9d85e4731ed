// SPDX-License-Identifier: Apache-2.0
// The cost of a range when no tool listens to NVTX: a push and a pop as the plugin makes them, budget 5 ns
// for both; and a phase in a session with the plugin, compared with one without. The fastest repetition
// counts (the machine may be shared).
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "bench/fastest.hpp"
#include "plugins/nvtx_markers/domain.hpp"
#include "strata/runtime/session.hpp"

namespace strata {
namespace {

// NVTX reads the variable at its first call.
const int kNoTool = unsetenv("NVTX_INJECTION64_PATH");

void nvtx_push_and_pop(benchmark::State& state) {
  const nvtx_markers::Domain domain("strata");
  if (kNoTool != 0 || domain.attached()) return state.SkipWithError("a tool is attached");
  std::uint64_t step = 0;
  for (auto _ : state) {
    domain.push({nullptr, nvtx_markers::Category::kPhase, 0xFF009E73, ++step});
    domain.pop();
  }
}

void nvtx_phase(benchmark::State& state) {
  SessionOptions options;
  options.plugin_path = {STRATA_PLUGINS};
  if (state.range(0) != 0) options.plugins.push_back({"nvtx_markers", {}, ""});
  options.strict = true;
  Session session(options);
  session.begin_run();
  session.ready();
  session.begin_step(0, 1);
  for (auto _ : state) session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
}

BENCHMARK(nvtx_push_and_pop)->Apply(fastest_of_many);
BENCHMARK(nvtx_phase)->ArgName("plugins")->Arg(0)->Arg(1)->Apply(fastest_of_many);

}  // namespace
}  // namespace strata
