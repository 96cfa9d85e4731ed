// SPDX-License-Identifier: Apache-2.0
// The spools of one process. A thread takes one at its first row and gives it back when it ends, so there are
// as many files as threads ever alive at once, plus a few spare ones.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "host/runtime/store/spool.hpp"

namespace strata {

class SpoolPool {
 public:
  SpoolPool(std::filesystem::path folder, std::uint64_t spool_bytes);

  // [any] A spool for the calling thread, whose OS id is `thread`. Null if no file can be created, or after
  // `close`. A returned spool may still contain records of its last owner; new records follow them.
  Spool* take(std::uint32_t thread) noexcept;
  // [any] Takes back the spool of a thread that ends.
  void give_back(Spool* spool) noexcept;

  // Keeps a few spare spools, so that a thread's first row rarely waits for a file. Throws std::system_error.
  void top_up();
  // Whether `top_up` would create a file.
  bool is_low() const noexcept;

  // All spools; they live as long as the pool.
  std::vector<Spool*> spools() const;

  // Refuses all further appends. Returns true once no thread is inside one; false after `limit`, or if it
  // cannot be known. Does not wait for `own`, the calling thread's spool or null: a signal handler that ends
  // the process may have interrupted an append, which then never ends.
  [[nodiscard]] bool close(const Spool* own, std::chrono::nanoseconds limit) noexcept;
  bool is_closed() const noexcept { return closed_.load(std::memory_order_relaxed); }

 private:
  Spool* take_spare(std::uint32_t thread) noexcept;
  // Creates a file. Called without the lock, because it takes milliseconds.
  std::unique_ptr<Spool> create();
  // Null if the pool was closed meanwhile. Called with the lock.
  Spool* keep(std::unique_ptr<Spool> spool);

  const std::filesystem::path folder_;
  const std::uint64_t spool_bytes_;
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<Spool>> spools_;
  std::deque<Spool*> spare_;  // the one unused for longest first: it is the emptiest
  std::atomic<std::uint32_t> files_ = 0;
  std::atomic<std::int64_t> retry_after_ns_ = 0;
  std::atomic<bool> closed_ = false;
};

}  // namespace strata
