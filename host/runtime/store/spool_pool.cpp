// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/spool_pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>

#include "host/runtime/clock.hpp"
#include "host/runtime/process_barrier.hpp"

namespace strata {
namespace {

constexpr std::size_t kSpareSpools = 2;
// After a failure, so that with a full disk not every row tries to create a file.
constexpr std::int64_t kRetryNs = 100'000'000;

}  // namespace

SpoolPool::SpoolPool(std::filesystem::path folder, std::uint64_t spool_bytes)
    : folder_(std::move(folder)), spool_bytes_(spool_bytes) {
  prepare_process_barrier();
}

std::unique_ptr<Spool> SpoolPool::create() {
  return std::make_unique<Spool>(folder_ / fmt::format("{:05}.spool", ++files_), spool_bytes_);
}

Spool* SpoolPool::keep(std::unique_ptr<Spool> spool) {
  return closed_ ? nullptr : spools_.emplace_back(std::move(spool)).get();
}

Spool* SpoolPool::take_spare(std::uint32_t thread) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_ || spare_.empty()) return nullptr;
  Spool* spool = spare_.front();
  spare_.pop_front();
  spool->own(thread);
  return spool;
}

Spool* SpoolPool::take(std::uint32_t thread) noexcept {
  if (Spool* spare = take_spare(thread)) return spare;
  const std::int64_t now_ns = monotonic_ns();
  if (is_closed() || now_ns < retry_after_ns_) return nullptr;
  try {
    std::unique_ptr<Spool> created = create();
    created->own(thread);
    const std::lock_guard lock(mutex_);
    return keep(std::move(created));
  } catch (const std::exception&) {  // the writer meets the same in top_up and reports it
    retry_after_ns_ = now_ns + kRetryNs;
    return nullptr;
  }
}

void SpoolPool::give_back(Spool* spool) noexcept {
  const std::lock_guard lock(mutex_);
  spare_.push_back(spool);
}

void SpoolPool::top_up() {
  while (is_low()) {
    std::unique_ptr<Spool> created = create();
    const std::lock_guard lock(mutex_);
    if (Spool* spool = keep(std::move(created))) spare_.push_back(spool);
  }
}

bool SpoolPool::is_low() const noexcept {
  const std::lock_guard lock(mutex_);
  return !closed_ && spare_.size() < kSpareSpools;
}

std::vector<Spool*> SpoolPool::spools() const {
  const std::lock_guard lock(mutex_);
  std::vector<Spool*> all;
  for (const auto& spool : spools_) all.push_back(spool.get());
  return all;
}

bool SpoolPool::close(const Spool* own, std::chrono::nanoseconds limit) noexcept {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& spool : spools_) spool->refuse();
  if (!order_all_threads()) return false;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  return std::ranges::all_of(spools_, [&](const std::unique_ptr<Spool>& spool) {
    while (spool.get() != own && spool->busy()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  });
}

}  // namespace strata
