// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/unit_costs.hpp"

#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <thread>

#include "plugins/warmup_analyzer/counters.hpp"

namespace strata::warmup_analyzer {
namespace {

constexpr std::size_t kTouchedBytes = std::size_t{8} << 20;
constexpr int kRounds = 3, kThreads = 5;

std::int64_t now_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

UnitCost touch_new_memory() noexcept {
  void* const memory =
      mmap(nullptr, kTouchedBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const bytes = static_cast<volatile char*>(memory);
  const std::uint64_t faults_before = thread_minor_faults();
  const std::int64_t begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
  for (std::size_t offset = 0; offset < kTouchedBytes; offset += page) bytes[offset] = 1;
  const std::int64_t end = now_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::uint64_t faults = thread_minor_faults() - faults_before;
  munmap(memory, kTouchedBytes);
  if (faults == 0) return {};
  return {static_cast<double>(end - begin) / static_cast<double>(faults), faults};
}

template <std::size_t kCount>
UnitCost middle_of(std::array<UnitCost, kCount> costs) noexcept {
  std::ranges::sort(costs, {}, &UnitCost::ns);
  return costs[kCount / 2];
}

}  // namespace

UnitCost page_fault_cost() noexcept {
  std::array<UnitCost, kRounds> rounds;
  for (UnitCost& round : rounds) round = touch_new_memory();
  return middle_of(rounds);
}

UnitCost thread_start_cost() noexcept try {
  std::array<UnitCost, kThreads> starts;
  for (UnitCost& start : starts) {
    std::atomic<std::int64_t> runs_ns{0};
    const std::int64_t begin = now_ns(CLOCK_MONOTONIC);
    std::thread([&] { runs_ns = now_ns(CLOCK_MONOTONIC); }).join();
    start = {static_cast<double>(runs_ns - begin), 1};
  }
  UnitCost cost = middle_of(starts);
  cost.count = kThreads;
  return cost;
} catch (const std::exception&) {
  return {};  // no thread can be created
}

}  // namespace strata::warmup_analyzer
