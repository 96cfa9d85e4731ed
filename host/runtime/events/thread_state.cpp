// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/thread_state.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <mutex>
#include <new>

namespace strata {
namespace {

constinit thread_local ThreadState* current = nullptr;

std::atomic<ThreadState*> list_head{nullptr};
pthread_key_t exit_key;
std::atomic<bool> exits_watched{false};

// Runs when a thread ends. Its destructors of thread-local objects may still emit afterwards: `current` is
// empty by then, and such an event takes a state anew, which this function, called again for it, gives back.
void release(void* state) {
  current = nullptr;
  static_cast<ThreadState*>(state)->held.store(0, std::memory_order_release);
}

// A state that ended threads left, unless they left ranges open that the end of the run must close.
ThreadState* take_released() noexcept {
  for (ThreadState* state = list_head.load(std::memory_order_acquire); state != nullptr;
       state = state->next) {
    std::uint32_t free = 0;
    if (state->held.load(std::memory_order_relaxed) != 0) continue;
    if (!state->held.compare_exchange_strong(free, 1, std::memory_order_acq_rel)) continue;
    if (state->ops.depth == 0 && state->modules.depth == 0) return state;
    state->held.store(0, std::memory_order_release);
  }
  return nullptr;
}

ThreadState* map_new() noexcept {
  void* pages =
      mmap(nullptr, sizeof(ThreadState), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto* state = new (pages) ThreadState;
  state->held.store(1, std::memory_order_relaxed);
  ThreadState* head = list_head.load(std::memory_order_relaxed);
  do {
    state->next = head;
  } while (
      !list_head.compare_exchange_weak(head, state, std::memory_order_release, std::memory_order_relaxed));
  return state;
}

ThreadState* acquire() noexcept {
  ThreadState* state = take_released();
  if (state == nullptr) state = map_new();
  if (state == nullptr) return nullptr;
  state->thread = static_cast<std::uint32_t>(gettid());
  if (exits_watched.load(std::memory_order_acquire)) pthread_setspecific(exit_key, state);
  current = state;
  return state;
}

}  // namespace

ThreadState* this_thread() noexcept {
  ThreadState* state = current;
  return state != nullptr ? state : acquire();
}

ThreadState* this_thread_if_any() noexcept {
  return current;
}

ThreadState* all_threads() noexcept {
  return list_head.load(std::memory_order_acquire);
}

void watch_thread_exits() noexcept {
  static std::once_flag once;
  std::call_once(once, [] { exits_watched.store(pthread_key_create(&exit_key, release) == 0); });
}

}  // namespace strata
