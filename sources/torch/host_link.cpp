#include "sources/torch/host_link.hpp"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <thread>

namespace strata::torch_source {
namespace {

struct alignas(64) OpenEmissions {
  std::atomic<std::uint32_t> count{0};
};

std::array<OpenEmissions, 64> open_emissions;
std::atomic<const HostLink*> connected{nullptr};

HostLink link;  // written while nobody is connected only
pid_t link_process = 0;

std::atomic<std::uint32_t>& open_emissions_of_this_thread() noexcept {
  // Thread control blocks are a stack's size apart, or a few cache lines: both show after mixing.
  const auto thread = reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
  return open_emissions[(thread * 0x9E3779B97F4A7C15u) >> 58].count;
}

}  // namespace

// Sequentially consistent on both sides, so that either the emission sees the host gone, or
// `disconnect_host` sees the emission open.
Emission::Emission() noexcept : open_(open_emissions_of_this_thread()) {
  open_.fetch_add(1, std::memory_order_seq_cst);
  link_ = connected.load(std::memory_order_seq_cst);
}

Emission::~Emission() {
  open_.fetch_sub(1, std::memory_order_release);
}

void connect_host(const strata_host* host, const strata_emit_service* emit) {
  link = {.host = host, .emit = emit, .run = link.run + 1};
  link_process = getpid();
  connected.store(&link, std::memory_order_seq_cst);
}

void disconnect_host() {
  if (connected.exchange(nullptr, std::memory_order_seq_cst) == nullptr) return;
  // In a forked child the parent's other threads are gone, and what they had open never closes.
  if (getpid() != link_process) return;
  for (const auto& emissions : open_emissions) {
    while (emissions.count.load(std::memory_order_seq_cst) != 0) std::this_thread::yield();
  }
}

}  // namespace strata::torch_source
