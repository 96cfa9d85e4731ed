// SPDX-License-Identifier: Apache-2.0
// A thread's spool: a ring of records in a memory-mapped file. One producer, one consumer, no lock.
//
// The producer is the thread that owns the spool (host/runtime/store/spool_pool.hpp), the consumer is the
// writer thread. A row that `append` accepted is complete in the file, whatever happens to the process
// afterwards.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/runtime/process_barrier.hpp"
#include "host/runtime/store/spool_format.hpp"

namespace strata {

class Spool {
 public:
  enum class Answer { kAppended, kFull, kRefused };

  // Creates the file with all its blocks. `capacity_bytes` is rounded up to a power of two within
  // [kMinimumSpoolBytes, kMaximumSpoolBytes]. Throws std::system_error.
  Spool(const std::filesystem::path& file, std::uint64_t capacity_bytes);
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // Producer. `thread` is the OS thread id of the new owner.
  void own(std::uint32_t thread) noexcept;

  // Producer. Copies one row of at most kMaximumRowBytes.
  Answer append(std::uint32_t table, const void* row, std::uint32_t bytes) noexcept {
    if (!enter()) return Answer::kRefused;
    const std::uint64_t needed = record_bytes(bytes);
    if (limit_ - write_ < needed && !make_room(needed)) {
      leave();
      return Answer::kFull;
    }
    put({table, bytes}, row);
    leave();
    return Answer::kAppended;
  }

  // Producer. Counts a row for which the spool was full. The gap is put into the ring before the next row.
  void drop(std::uint32_t table, std::int64_t now_ns) noexcept;

  // Producer. True once for each half of the ring that has filled up: time to wake the consumer.
  bool take_half_full() noexcept {
    const bool half_full = half_full_;
    half_full_ = false;
    return half_full;
  }

  // Refuses all further appends. To close, a thread refuses all spools, then calls order_all_threads()
  // (host/runtime/process_barrier.hpp), then waits until none is `busy`.
  void refuse() noexcept { refused_.store(true, std::memory_order_relaxed); }
  bool busy() const noexcept { return busy_.load(std::memory_order_acquire); }

  // Consumer. Records between `released` and `written` may be read from `ring`.
  std::uint64_t written() const noexcept { return header_->written.load(std::memory_order_acquire); }
  std::uint64_t released() const noexcept { return header_->released.load(std::memory_order_relaxed); }
  std::span<const std::byte> ring() const noexcept { return {ring_, mask_ + 1}; }
  void release(std::uint64_t position) noexcept {
    header_->released.store(position, std::memory_order_release);
  }

  // Gaps that are not in the ring yet. Only while there is no producer.
  std::vector<Gap> open_gaps() const;

  // The OS thread id of the owner or the last owner.
  std::uint32_t thread() const noexcept {
    return std::atomic_ref(header_->thread).load(std::memory_order_relaxed);
  }

  const std::string& file_name() const noexcept { return file_name_; }

 private:
  bool enter() noexcept {
    busy_.store(true, std::memory_order_relaxed);
    light_barrier();
    if (!refused_.load(std::memory_order_relaxed)) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() noexcept { busy_.store(false, std::memory_order_release); }

  // The record must fit below `limit_`.
  void put(RecordHeader header, const void* payload) noexcept {
    std::byte* place = ring_ + (write_ & mask_);
    std::memcpy(place, &header, sizeof header);
    std::memcpy(place + sizeof header, payload, header.bytes);
    write_ += record_bytes(header.bytes);
    header_->written.store(write_, std::memory_order_release);
  }

  void put_padding(std::uint64_t bytes) noexcept;
  bool make_room(std::uint64_t needed) noexcept;
  bool raise_limit(std::uint64_t needed) noexcept;
  bool put_open_gaps() noexcept;

  // Used only by the producer, except for the two flags.
  alignas(64) std::byte* ring_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t write_ = 0;
  std::uint64_t limit_ = 0;  // space up to here is known to be free; beyond, check `released`
  SpoolHeader* header_ = nullptr;
  std::atomic<bool> busy_ = false;
  std::atomic<bool> refused_ = false;
  bool half_full_ = false;
  bool has_gaps_ = false;

  std::string file_name_;
};

}  // namespace strata
