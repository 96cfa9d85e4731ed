// SPDX-License-Identifier: Apache-2.0
// The buffers into which CUPTI writes its records: a pool that is never freed, because CUPTI may complete a
// buffer long after it was told to stop.
//
// Buffers are handed out zeroed, so that CUPTI need not clear them on the program's thread. Their number is
// limited: when all are in use, a request is refused, and CUPTI counts the records without a buffer as
// dropped. (CUPTI tolerates a refusal since 12.9; only 13 and later are used.)
//
// [any] CUPTI calls `request` and `complete` on the program's threads and on its own. CUPTI is never called
// with the lock held.
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
  std::uint64_t refused = 0;  // refused requests
  std::uint64_t late = 0;     // completed while not recording: discarded
};

class Buffers {
 public:
  // Sets the size of buffers created from now on, and the maximum number of buffers.
  void configure(std::size_t buffer_bytes, std::size_t most_buffers);

  void request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) noexcept;
  void complete(std::uint8_t* buffer, std::size_t valid_bytes) noexcept;

  // From here until `close`, completed buffers wait for `next`; at other times they are discarded.
  void open();
  // Afterwards `next` returns the waiting buffers and then nothing.
  void close();

  // One thread: the records of the next completed buffer. The buffer returned before is recycled.
  std::optional<std::span<std::uint8_t>> next();
  // Waits until the reading thread has asked for another buffer and none is waiting; false if that has not
  // happened by `deadline`.
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

// The buffers of the process: CUPTI's callbacks have no other way to find them. Never destroyed.
Buffers& process_buffers();

}  // namespace strata::cupti
