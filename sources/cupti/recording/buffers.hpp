// SPDX-License-Identifier: Apache-2.0
// The buffers that CUPTI writes its records into: a pool that is never given back, since CUPTI may complete a
// buffer long after it was told to stop.
//
// All-zero when they are handed out, so that CUPTI need not clear them on the program's thread. Bounded: when
// all are out, a request is refused, and CUPTI counts the records that it has no place for as dropped. (Since
// CUPTI 12.9 it bears a refusal; only 13 and later are used.)
//
// [any] CUPTI calls `request` and `complete` on the program's threads and on its own. No call of CUPTI is
// made with the lock held.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace strata::cupti {

struct BufferCounts {
  std::uint64_t completed = 0;
  std::uint64_t refused = 0;  // requests
  std::uint64_t late = 0;     // completed while nobody recorded: thrown away
};

class Buffers {
 public:
  // How large buffers that are yet to be made are, and how many there may be in all.
  void configure(std::size_t buffer_bytes, std::size_t most_buffers);

  void request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) noexcept;
  void complete(std::uint8_t* buffer, std::size_t valid_bytes) noexcept;

  // Completed buffers wait for `next` from here until `close`; before and after they are thrown away.
  void open();
  // `next` returns nothing any more once what waits has been taken.
  void close();

  // One thread: the next completed buffer's records. What it got the last time becomes a buffer again.
  std::optional<std::span<std::uint8_t>> next();
  // Waits until the thread that takes them has asked for another one and none waits; false when it has not
  // by then.
  bool wait_until_taken(std::chrono::steady_clock::time_point deadline);

  BufferCounts take_counts();

 private:
  struct Completed {
    std::uint8_t* memory;
    std::size_t valid_bytes;
  };
  void recycle(Completed buffer, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t buffer_bytes_ = 0, most_buffers_ = 0;
  std::map<std::uint8_t*, std::size_t> made_;  // with their sizes
  std::vector<std::uint8_t*> free_;
  std::deque<Completed> completed_;
  std::optional<Completed> taken_;
  bool is_open_ = false;
  BufferCounts counts_;
};

// Of the process: CUPTI's callbacks have nothing else by which they would find them. Never destroyed.
Buffers& process_buffers();

}  // namespace strata::cupti
