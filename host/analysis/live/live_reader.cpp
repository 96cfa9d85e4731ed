// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/live/live_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "host/analysis/reading/table_reader.hpp"
#include "host/analysis/recording/run_error.hpp"

namespace strata::analysis {
namespace {

// Per read transaction: some tens of milliseconds.
constexpr std::int64_t kRowsAtOnce = 50'000;
constexpr std::int64_t kSettledAfterNs = std::chrono::nanoseconds(kSettledAfter).count();

// Per call: a row takes about 130 bytes until it is applied.
constexpr std::int64_t kRowsOfOneCall = 400'000;
// The maximum number of rows by which a row may follow a later one of another thread: two batches of the
// writer.
constexpr std::size_t kMostLateRows = 131'072;
// No clock runs for longer (146 years), and no allocation is larger (1 PiB): nothing overflows.
constexpr std::int64_t kLatestLiveNs = std::int64_t{1} << 62;
constexpr std::uint64_t kLargestLiveBytes = std::uint64_t{1} << 50;

[[noreturn]] void refuse(const StoreFile& file, std::int64_t value, std::string_view what) {
  throw RunError(
      fmt::format("{}: {} is not a valid {}; the store is damaged", file.path().string(), value, what));
}

std::int64_t checked_ns(const StoreFile& file, const Row& row, int column) {
  const std::int64_t ns = row.integer(column);
  if (ns < 0 || ns > kLatestLiveNs) refuse(file, ns, "time of CLOCK_MONOTONIC");
  return ns;
}

std::uint64_t checked_bytes(const StoreFile& file, const Row& row, int column) {
  const std::uint64_t bytes = row.bits(column);
  if (bytes > kLargestLiveBytes) refuse(file, row.integer(column), "amount of memory");
  return bytes;
}

template <typename Row>
std::uint64_t sequence_of(const Row& row) {
  if constexpr (requires { row.tensor; }) {
    return row.tensor.sequence;
  } else {
    return row.sequence;
  }
}

template <typename Rows>
void sort_by_live_sequence(Rows& rows) {
  std::ranges::stable_sort(rows, {}, [](const auto& row) { return sequence_of(row); });
}

// If the table has more rows: the sequence up to which `held`, rows in table order, is complete.
template <typename Rows>
std::uint64_t complete_sequence(const Rows& held) {
  std::uint64_t complete = 0;
  for (std::size_t row = 0; row + kMostLateRows < held.size(); ++row)
    complete = std::max(complete, sequence_of(held[row]));
  return complete;
}

template <typename Rows>
std::uint64_t sequence_at(const Rows& held, std::int64_t ns) {
  std::uint64_t newest = 0;
  for (const auto& row : held) {
    if (row.ns <= ns) newest = std::max(newest, sequence_of(row));
  }
  return newest;
}

template <typename Rows>
void take_up_to(Rows& from, std::uint64_t sequence, Rows& to) {
  const auto later = std::stable_partition(from.begin(), from.end(),
                                           [&](const auto& row) { return sequence_of(row) <= sequence; });
  to.assign(std::make_move_iterator(from.begin()), std::make_move_iterator(later));
  from.erase(from.begin(), later);
  sort_by_live_sequence(to);
}

}  // namespace

// Until the table has no more; false when the time is up first, or enough was read.
template <typename Use>
bool LiveReader::drain(TableTail& table, const StoreFile& file, Use use) {
  while (true) {
    const std::int64_t rows = table.read(file, kRowsAtOnce, use);
    rows_left_ -= rows;
    if (rows < kRowsAtOnce) return true;
    if (rows_left_ <= 0 || Clock::now() >= deadline_) return false;
  }
}

LiveRows LiveReader::read(const StoreFile& file, Clock::time_point deadline, bool keep_back) {
  LiveRows rows;
  deadline_ = deadline;
  rows_left_ = kRowsOfOneCall;
  const bool has_memory = read_structure(file, rows) && read_samples(file, rows) && read_memory(file, rows);
  std::uint64_t cutoff = has_memory ? UINT64_MAX : complete_sequence(held_memory_);
  const bool has_tensors = read_tensors(file, rows, cutoff);
  rows.caught_up = has_memory && has_tensors;
  rows.newest_ns = newest_ns_;
  if (rows.rows != 0) newest_came_ = Clock::now();
  // If nothing has arrived for a while, nothing is pending.
  const bool is_quiet = Clock::now() - newest_came_ >= kSettledAfter;
  if (!has_tensors) cutoff = std::min(cutoff, complete_sequence(held_tensors_));
  std::uint64_t tensor_cutoff = cutoff;
  if (rows.caught_up && keep_back && !is_quiet) {
    cutoff = sequence_at(held_memory_, newest_ns_ - kSettledAfterNs);
    tensor_cutoff = sequence_at(held_tensors_, newest_ns_ - kSettledAfterNs);
  }
  take_up_to(held_memory_, cutoff, rows.memory);
  take_up_to(held_tensors_, tensor_cutoff, rows.tensors);
  sort_by_live_sequence(rows.steps);
  return rows;
}

// Reads ends before begins, so that the begin of each end read is among the rows read, whatever arrives in
// between.
bool LiveReader::read_structure(const StoreFile& file, LiveRows& rows) {
  const auto seen = [&](const Row& row, int column) {
    ++rows.rows;
    const std::int64_t ns = checked_ns(file, row, column);
    newest_ns_ = std::max(newest_ns_, ns);
    return ns;
  };
  const bool ends = drain(step_end_, file,
                          [&](const Row& row) {
                            rows.steps.push_back({.sequence = row.bits(0),
                                                  .ns = seen(row, 1),
                                                  .step = row.integer(2),
                                                  .is_end = true,
                                                  .loss = row.real(3),
                                                  .counted = row.bits(4)});
                          }) &&
                    drain(phase_end_, file, [&](const Row& row) {
                      rows.phase_ends.push_back({row.bits(0), row.small(1)});
                    });
  return ends && drain(run_begin_, file, [&](const Row& row) { rows.begin_ns = seen(row, 0); }) &&
         drain(step_begin_, file,
               [&](const Row& row) {
                 rows.steps.push_back({.sequence = row.bits(0),
                                       .ns = seen(row, 1),
                                       .step = row.integer(2),
                                       .is_end = false,
                                       .schedule = row.small(3)});
               }) &&
         drain(phase_begin_, file, [&](const Row& row) {
           rows.phases.push_back({.ordinal = row.small(2),
                                  .parent = row.small(3),
                                  .kind = row.small(4),
                                  .name = row.small(5),
                                  .step = row.integer(6),
                                  .micro_batch = row.small(7),
                                  .begin_sequence = row.bits(0),
                                  .begin_ns = seen(row, 1)});
         });
}

bool LiveReader::read_samples(const StoreFile& file, LiveRows& rows) {
  return drain(device_samples_, file,
               [&](const Row& row) {
                 rows.device_samples.push_back(
                     {TableReader::device(row, 0), checked_bytes(file, row, 2), checked_bytes(file, row, 3)});
               }) &&
         drain(resident_, file, [&](const Row& row) {
           rows.resident_bytes = row.bits(0);
           rows.peak_resident_bytes = std::max(rows.peak_resident_bytes, row.bits(1));
         });
}

// Reads tensors up to that sequence; they are few compared with allocations. Returns false if time runs out.
bool LiveReader::read_tensors(const StoreFile& file, LiveRows& rows, std::uint64_t sequence) {
  const auto hold = [&](const Row& row) {
    ++rows.rows;
    LiveTensor told;
    told.ns = checked_ns(file, row, 1);
    told.tensor = {.sequence = row.bits(0),
                   .role = row.small(2),
                   .device = TableReader::device(row, 3),
                   .address = row.bits(5),
                   .owner_address = row.bits(6)};
    newest_ns_ = std::max(newest_ns_, told.ns);
    held_tensors_.push_back(told);
  };
  while (complete_sequence(held_tensors_) < sequence) {
    if (tensors_.read(file, kRowsAtOnce, hold) < kRowsAtOnce) return true;
    if (Clock::now() >= deadline_) return false;
  }
  return true;
}

bool LiveReader::read_memory(const StoreFile& file, LiveRows& rows) {
  return drain(memory_, file, [&](const Row& row) {
    ++rows.rows;
    MemoryRow event;
    event.sequence = row.bits(0);
    event.ns = checked_ns(file, row, 1);
    event.action = row.small(2);
    event.device = TableReader::device(row, 3);
    event.address = row.bits(5);
    event.bytes = checked_bytes(file, row, 6);
    event.phase = row.small(7);
    event.handed_out_bytes = row.bits(8);
    newest_ns_ = std::max(newest_ns_, event.ns);
    held_memory_.push_back(event);
  });
}

}  // namespace strata::analysis
