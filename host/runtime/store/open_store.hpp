// SPDX-License-Identifier: Apache-2.0
// The state that this process's threads have in the one open store, and what happens to it when a thread ends
// or the process forks.
#pragma once

#include <atomic>
#include <cstdint>

#include "host/runtime/store/spool_pool.hpp"
#include "host/runtime/store/string_table.hpp"

namespace strata {

// Constant-initialised and trivially destroyed: usable in a library that was loaded with dlopen, before and
// after all other objects of its thread live.
struct ThreadSlot {
  std::uint64_t store = 0;  // the OpenStore::id that the rest belongs to
  Spool* spool = nullptr;
  InternCache* names = nullptr;
};

extern thread_local constinit ThreadSlot current_thread_slot;

// The one open store. While it lives, the spool of a thread that ends goes back to `pool`.
class OpenStore {
 public:
  // `owner_descriptor` is closed in a forked child. Throws std::logic_error if a store is already open.
  OpenStore(SpoolPool& pool, int owner_descriptor);
  ~OpenStore();
  OpenStore(const OpenStore&) = delete;
  OpenStore& operator=(const OpenStore&) = delete;

  // Allows another store to be opened while this object still lives. The store must not accept rows any more.
  void release() noexcept;

  // Never reused within a process.
  std::uint64_t id() const noexcept { return id_; }

  // True in a forked child: locks, threads, files and SQLite handles belong to the parent and must not be
  // touched.
  bool is_inherited() const noexcept { return inherited_.load(std::memory_order_relaxed); }

  // Returns the calling thread's slot, claimed for this store, with a `spool` if one is available, and
  // `names` that are not null.
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
