// SPDX-License-Identifier: Apache-2.0
// What the threads of this process hold of the one store that is open, and what becomes of it when a thread
// ends or the process forks.
#pragma once

#include <atomic>
#include <cstdint>

#include "host/runtime/spool_pool.hpp"
#include "host/runtime/store/string_table.hpp"

namespace strata {

// Constant-initialised and trivially destroyed: usable in a library that was loaded with dlopen, before and
// after everything else of its thread lived.
struct ThreadSlot {
  std::uint64_t store = 0;  // the OpenStore::id that the rest belongs to
  Spool* spool = nullptr;
  InternCache* names = nullptr;
};

extern thread_local constinit ThreadSlot current_thread_slot;

// The one open store. While it lives, a thread's spool goes back to `pool` when the thread ends.
class OpenStore {
 public:
  // `owner_descriptor` is closed in a forked child. Throws std::logic_error when a store is open already.
  OpenStore(SpoolPool& pool, int owner_descriptor);
  ~OpenStore();
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;

  // Lets another store be opened, though this object goes on living. The store must take no more rows.
  void release() noexcept;

  // Never used twice in a process.
  std::uint64_t id() const noexcept { return id_; }

  // True in a forked child: locks, threads, files and SQLite handles are the parent's, and not to be touched.
  bool is_inherited() const noexcept { return inherited_.load(std::memory_order_relaxed); }

  // The calling thread's slot, made this store's, its `spool` taken if one is to be had, its `names` not
  // null.
  ThreadSlot& claim_slot();

 private:
  static void disarm_child() noexcept;
  static void release_slot(void* slot) noexcept;
  static void watch_forks_and_threads();

  SpoolPool& pool_;
  const int owner_descriptor_;
  std::uint64_t id_ = 0;
  std::atomic<bool> inherited_ = false;
};

}  // namespace strata
