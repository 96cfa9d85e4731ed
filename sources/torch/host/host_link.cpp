// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/host/host_link.hpp"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>

namespace strata::torch_source {
namespace {

struct alignas(64) OpenEmissions {
  std::atomic<std::uint32_t> count{0};
};

std::array<OpenEmissions, 64> open_emissions;
std::atomic<const HostLink*> connected{nullptr};

HostLink link;  // written while no host is connected and no emission is open

std::atomic<std::uint32_t>& open_emissions_of_this_thread() noexcept {
  // Thread control blocks are a stack's size apart, or a few cache lines: both show after mixing.
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  return open_emissions[(thread * 0x9E3779B97F4A7C15u) >> 58].count;
}

// In a forked child the parent's other threads are gone, and their open emissions never close.
void forget_emissions() {
  for (OpenEmissions& emissions : open_emissions) emissions.count.store(0, std::memory_order_relaxed);
}

}  // namespace

// Sequentially consistent on both sides: either the emission sees that the host is gone, or
// `wait_for_emissions` sees the open emission.
Emission::Emission() noexcept : open_(open_emissions_of_this_thread()) {
  open_.fetch_add(1, std::memory_order_seq_cst);
  link_ = connected.load(std::memory_order_seq_cst);
}

Emission::~Emission() {
  open_.fetch_sub(1, std::memory_order_release);
}

void connect_host(const strata_host* host, const strata_emit_service* emit,
                  const strata_training_service* training) {
  link = {.host = host, .emit = emit, .training = training, .run = link.run + 1};
  static std::once_flag forks_watched;
  std::call_once(forks_watched, [] { pthread_atfork(nullptr, nullptr, forget_emissions); });
  connected.store(&link, std::memory_order_seq_cst);
}

void disconnect_host() {
  connected.store(nullptr, std::memory_order_seq_cst);
}

bool wait_for_emissions() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  while (std::any_of(open_emissions.begin(), open_emissions.end(), [](const OpenEmissions& emissions) {
    return emissions.count.load(std::memory_order_seq_cst) != 0;
  })) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

void report_host_block(std::uint32_t device_type, std::uint32_t action, const void* address,
                       std::size_t bytes, std::uint64_t handed_out_bytes) noexcept {
  const Emission emission;
  if (!emission) return;
  emission.memory({.struct_size = sizeof(strata_memory_event),
                   .action = action,
                   .device = {.type = device_type, .index = 0},
                   .address = reinterpret_cast<std::uint64_t>(address),
                   .bytes = bytes,
                   .stream = 0,
                   .pool = 0,
                   .device_handed_out_bytes = handed_out_bytes,
                   .device_free_bytes = action == STRATA_MEMORY_OUT_OF_MEMORY ? UINT64_MAX : 0});
}

}  // namespace strata::torch_source
