// SPDX-License-Identifier: Apache-2.0
// The cost of one row for the thread that appends it: 96 bytes, the size of an allocator event.
//
// The writer thread competes for the same processors: if all of them append, the figure includes its time.
#include <benchmark/benchmark.h>

#include <memory>
#include <optional>
#include <string>

#include "host/runtime/store/store.hpp"
#include "tests/runtime/counted_row.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using strata::CountedRow;
using strata::Store;

static_assert(sizeof(CountedRow) == 96);

std::unique_ptr<Store> store;
std::optional<strata::test::TemporaryFolder> folder;
std::uint32_t table;

// Spools that hold all rows of a run, so that the benchmark measures appends and not the writer.
void open_store(const benchmark::State& state) {
  folder.emplace();
  const auto rows = static_cast<std::uint64_t>(state.max_iterations);
  store = std::make_unique<Store>(folder->path(), 1,
                                  strata::StoreOptions{strata::OnFull::kBlock, rows * 104 + 4096},
                                  std::map<std::string, std::string>{});
  table = store->declare("bench", strata::counted_table());
}

void close_store(const benchmark::State&) {
  store.reset();
  folder.reset();
}

void append(benchmark::State& state) {
  CountedRow row{};
  store->append(table, &row);  // takes the thread's spool
  for (auto _ : state) {
    ++row.count;
    benchmark::DoNotOptimize(store->append(table, &row));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(append)
    ->Setup(open_store)
    ->Teardown(close_store)
    ->Iterations(200'000)
    ->Repetitions(5)
    ->Threads(1)
    ->Threads(2)
    ->UseRealTime();

void intern_repeated_text(benchmark::State& state) {
  store->intern("layers.11.attention.query.weight");
  for (auto _ : state) benchmark::DoNotOptimize(store->intern("layers.11.attention.query.weight"));
}
BENCHMARK(intern_repeated_text)->Setup(open_store)->Teardown(close_store)->Iterations(200'000);

}  // namespace
