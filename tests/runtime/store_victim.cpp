// SPDX-License-Identifier: Apache-2.0
// Appends rows from three threads until it is killed, and after each append writes to a pipe how many rows
// its thread has appended. store_victim <rank folder> <pipe's descriptor>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "host/runtime/store/store.hpp"
#include "tests/runtime/counted_row.hpp"
#include "tests/runtime/victim_report.hpp"

int main(int argc, char** argv) {
  using namespace strata;
  if (argc != 3) return 2;
  const int pipe = std::atoi(argv[2]);
  Store store(argv[1], static_cast<std::uint32_t>(getpid()), {OnFull::kBlock, std::uint64_t{64} << 10}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  std::vector<std::thread> threads;
  for (std::uint32_t writer = 0; writer < kVictimWriters; ++writer) {
    threads.emplace_back([&store, table, writer, pipe] {
      CountedRow row{0, writer, static_cast<std::uint32_t>(gettid()), {}};
      for (;; ++row.count) {
        if (row.count % 64 == 0) store.intern("text " + std::to_string(row.count));
        if (!store.append(table, &row)) std::abort();
        const VictimReport report{writer, row.count + 1};
        if (write(pipe, &report, sizeof report) != ssize_t{sizeof report}) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}
