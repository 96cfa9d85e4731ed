// SPDX-License-Identifier: Apache-2.0
// The cost of a row for the thread that moves it from a spool into SQLite: rows of the size of an allocator
// event, one in thirty of another table, in batches that are committed one by one.
//
//     store_write                     ns per row, for batches of several sizes
//     store_write --batches N ROWS    only that many batches of that many rows, for callgrind
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "host/runtime/store/definition_log.hpp"
#include "host/runtime/store/spool_pool.hpp"
#include "host/runtime/store/store_database.hpp"
#include "host/runtime/store/writer_thread.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using std::chrono::duration;
using std::chrono::steady_clock;

// Like the allocator tracer's event: 8 wide columns and 6 narrow ones.
struct EventRow {
  std::uint64_t sequence, address, bytes, stream, pool, handed_out_bytes, op;
  std::int64_t monotonic_ns;
  std::uint32_t thread, action, device_type, device_index, phase, module;
};

struct EndRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint32_t module, reserved;
};

constexpr std::uint32_t kEvents = 1;
constexpr std::uint32_t kEnds = 2;
constexpr std::uint64_t kRowsAnEnd = 30;

strata::Column column(const char* name, std::uint32_t type, std::size_t offset) {
  return {name, type, static_cast<std::uint32_t>(offset), "", ""};
}

strata::Table event_table() {
  constexpr std::uint32_t kWide = STRATA_COLUMN_UINT64;
  constexpr std::uint32_t kNarrow = STRATA_COLUMN_UINT32;
  return {
      "bench_event",
      "bench",
      "",
      sizeof(EventRow),
      {column("sequence", kWide, offsetof(EventRow, sequence)),
       column("monotonic_ns", STRATA_COLUMN_INT64, offsetof(EventRow, monotonic_ns)),
       column("thread", kNarrow, offsetof(EventRow, thread)),
       column("action", kNarrow, offsetof(EventRow, action)),
       column("device_type", kNarrow, offsetof(EventRow, device_type)),
       column("device_index", kNarrow, offsetof(EventRow, device_index)),
       column("address", kWide, offsetof(EventRow, address)),
       column("bytes", kWide, offsetof(EventRow, bytes)), column("stream", kWide, offsetof(EventRow, stream)),
       column("pool", kWide, offsetof(EventRow, pool)),
       column("handed_out_bytes", kWide, offsetof(EventRow, handed_out_bytes)),
       column("phase", kNarrow, offsetof(EventRow, phase)), column("op", kWide, offsetof(EventRow, op)),
       column("module", kNarrow, offsetof(EventRow, module))}};
}

strata::Table end_table() {
  return {"bench_end",
          "bench",
          "",
          sizeof(EndRow),
          {column("sequence", STRATA_COLUMN_UINT64, offsetof(EndRow, sequence)),
           column("monotonic_ns", STRATA_COLUMN_INT64, offsetof(EndRow, monotonic_ns)),
           column("module", STRATA_COLUMN_UINT32, offsetof(EndRow, module))}};
}

// A writer with one thread's spool.
class WrittenStore {
 public:
  WrittenStore() {
    definitions_.append(strata::TableDefinition{kEvents, event_table()});
    definitions_.append(strata::TableDefinition{kEnds, end_table()});
  }
  ~WrittenStore() {
    writer_.finish();
    database_.close();
  }
  WrittenStore(const WrittenStore&) = delete;
  WrittenStore& operator=(const WrittenStore&) = delete;

  void append(std::uint64_t rows) {
    for (std::uint64_t row = 0; row < rows; ++row) append_one(++sequence_);
  }

  // Waits until all appended rows are committed.
  void wait() {
    while (spool_.released() != spool_.written()) {
      writer_.wake();
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    if (!problems_.list().empty()) throw std::runtime_error(problems_.list().front());
  }

 private:
  void append_one(std::uint64_t sequence) {
    const auto now_ns = static_cast<std::int64_t>(8'540'825'255'011 + sequence * 700);
    const EventRow event{sequence,
                         0x7f00'0000'0000 + sequence * 64,
                         sequence % 4096 * 256,
                         0,
                         0,
                         sequence * 4096,
                         sequence / 4,
                         now_ns,
                         31'442,
                         static_cast<std::uint32_t>(sequence % 2 + 1),
                         0,
                         0,
                         7,
                         24};
    const EndRow end{sequence, now_ns, 24, 0};
    const auto answer = sequence % kRowsAnEnd == 0 ? spool_.append(kEnds, &end, sizeof end)
                                                   : spool_.append(kEvents, &event, sizeof event);
    if (answer != strata::Spool::Answer::kAppended) throw std::runtime_error("the spool is full");
  }

  strata::test::TemporaryFolder folder_;
  strata::ProblemList problems_;
  strata::SpoolPool pool_{folder_.path(), std::uint64_t{16} << 20};
  strata::DefinitionLog definitions_{folder_.path() / strata::kDefinitionFile};
  strata::Spool& spool_{*pool_.take(1)};
  strata::StoreDatabase database_{folder_.path() / "bench.sqlite"};
  strata::WriterThread writer_{database_, pool_, definitions_, problems_,
                               strata::StoreSize{strata::StoreOptions{}}};
  std::uint64_t sequence_ = 0;
};

void write_batch(benchmark::State& state) {
  WrittenStore store;
  const auto rows = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    store.append(rows);
    const auto begin = steady_clock::now();
    store.wait();
    state.SetIterationTime(duration<double>(steady_clock::now() - begin).count() / static_cast<double>(rows));
  }
}
BENCHMARK(write_batch)
    ->ArgName("rows")
    ->Arg(200)
    ->Arg(2'000)
    ->Arg(20'000)
    ->UseManualTime()
    ->Iterations(50)
    ->Repetitions(5)
    ->ReportAggregatesOnly();

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::strcmp(argv[1], "--batches") == 0) {
    WrittenStore store;
    for (std::int64_t batch = std::atoll(argv[2]); batch > 0; --batch) {
      store.append(static_cast<std::uint64_t>(std::atoll(argv[3])));
      store.wait();
    }
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
