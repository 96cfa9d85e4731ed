// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/buffers.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace strata::cupti {
namespace {

// From the operating system, zeroed and allocated page by page. Null if there is none.
std::uint8_t* new_memory(std::size_t bytes) noexcept {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
}

}  // namespace

void Buffers::configure(std::size_t buffer_bytes, std::size_t most_buffers) {
  const std::scoped_lock lock(mutex_);
  if (buffer_bytes != buffer_bytes_) {
    for (std::uint8_t* const memory : std::exchange(free_, {})) {
      munmap(memory, made_[memory]);
      made_.erase(memory);
    }
  }
  buffer_bytes_ = buffer_bytes;
  most_buffers_ = most_buffers;
}

void Buffers::request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) noexcept {
  *buffer = nullptr;
  *bytes = 0;
  *most_records = 0;  // as many as fit
  try {
    const std::scoped_lock lock(mutex_);
    std::uint8_t* memory = nullptr;
    if (!free_.empty()) {
      memory = free_.back();
      free_.pop_back();
    } else if (made_.size() < most_buffers_ && (memory = new_memory(buffer_bytes_)) != nullptr) {
      made_.emplace(memory, buffer_bytes_);
    }
    if (memory == nullptr) {
      ++counts_.refused;
      return;
    }
    *buffer = memory;
    *bytes = made_.at(memory);
  } catch (...) {
    // No memory left for a node of the map: as if there were no buffer.
  }
}

void Buffers::complete(std::uint8_t* buffer, std::size_t valid_bytes) noexcept {
  try {
    std::unique_lock lock(mutex_);
    const auto made = made_.find(buffer);
    if (made == made_.end()) return;  // none of ours
    const Completed completed{buffer, std::min(valid_bytes, made->second)};
    if (!is_open_) {
      ++counts_.late;
      recycle(completed, lock);
      return;
    }
    ++counts_.completed;
    completed_.push_back(completed);
    changed_.notify_all();
  } catch (...) {
    // Without memory to note it in, the buffer is lost.
  }
}

// The one who clears it has it for himself: the lock is not held meanwhile.
void Buffers::recycle(Completed buffer, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  std::memset(buffer.memory, 0, buffer.valid_bytes);
  lock.lock();
  free_.push_back(buffer.memory);
}

void Buffers::open() {
  const std::scoped_lock lock(mutex_);
  is_open_ = true;
}

void Buffers::close() {
  const std::scoped_lock lock(mutex_);
  is_open_ = false;
  changed_.notify_all();
}

std::optional<std::span<std::uint8_t>> Buffers::next() {
  std::unique_lock lock(mutex_);
  if (const auto taken = std::exchange(taken_, std::nullopt)) {
    recycle(*taken, lock);
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return !completed_.empty() || !is_open_; });
  if (completed_.empty()) return std::nullopt;
  taken_ = completed_.front();
  completed_.pop_front();
  return std::span(taken_->memory, taken_->valid_bytes);
}

bool Buffers::wait_until_taken(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return completed_.empty() && !taken_; });
}

BufferCounts Buffers::take_counts() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(counts_, {});
}

Buffers& process_buffers() {
  static Buffers& only = *new Buffers;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

}  // namespace strata::cupti
