// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/open_store.hpp"

#include <pthread.h>
#include <unistd.h>

#include <mutex>
#include <new>
#include <stdexcept>
#include <system_error>

namespace strata {

thread_local constinit ThreadSlot current_thread_slot;

namespace {

// Guards `store_of_process` against the end of a thread. A child makes it anew: another thread may have held
// it.
std::mutex open_store_mutex;
OpenStore* store_of_process = nullptr;
std::uint64_t last_id = 0;
// A key and not a thread_local's destructor: it runs after all of those, and again when one of the later ones
// still appended a row.
pthread_key_t thread_end_key;

}  // namespace

OpenStore::OpenStore(SpoolPool& pool, int owner_descriptor)
    : pool_(pool), owner_descriptor_(owner_descriptor) {
  static std::once_flag watching;
  std::call_once(watching, watch_forks_and_threads);
  const std::lock_guard lock(open_store_mutex);
  if (store_of_process != nullptr) throw std::logic_error("a run store is already open in this process");
  store_of_process = this;
  id_ = ++last_id;
}

OpenStore::~OpenStore() {
  release();
}

void OpenStore::release() noexcept {
  const std::lock_guard lock(open_store_mutex);
  if (store_of_process == this) store_of_process = nullptr;
}

ThreadSlot& OpenStore::claim_slot() {
  ThreadSlot& slot = current_thread_slot;
  if (slot.names == nullptr) slot.names = new InternCache;
  if (slot.store != id_) {
    slot.store = id_;
    slot.spool = nullptr;
    slot.names->clear();
  }
  pthread_setspecific(thread_end_key, &slot);
  if (slot.spool == nullptr) slot.spool = pool_.take(static_cast<std::uint32_t>(gettid()));
  return slot;
}

void OpenStore::release_slot(void* value) noexcept {
  ThreadSlot& slot = *static_cast<ThreadSlot*>(value);
  if (slot.spool != nullptr) {
    const std::lock_guard lock(open_store_mutex);
    if (store_of_process != nullptr && store_of_process->id_ == slot.store)
      store_of_process->pool_.give_back(slot.spool);
  }
  delete slot.names;
  slot = {};
}

// Runs in the child, on its only thread, before fork returns there.
void OpenStore::disarm_child() noexcept {
  new (&open_store_mutex) std::mutex;
  current_thread_slot = {};
  if (store_of_process == nullptr) return;
  store_of_process->inherited_.store(true, std::memory_order_relaxed);
  close(store_of_process->owner_descriptor_);
  store_of_process = nullptr;
}

void OpenStore::watch_forks_and_threads() {
  int error = pthread_key_create(&thread_end_key, release_slot);
  if (error == 0) error = pthread_atfork(nullptr, nullptr, disarm_child);
  if (error != 0) throw std::system_error(error, std::generic_category(), "watch threads and forks");
}

}  // namespace strata
