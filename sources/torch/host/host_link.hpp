// SPDX-License-Identifier: Apache-2.0
// Connects torch's callbacks to the host of the current run.
//
// Functions called by torch (an allocator's deleter, an observer, a saved tensor's destructor) live as long
// as the process, because blocks outlive the run. The host does not. So each callback opens an `Emission`,
// which is empty outside a run, and before the host is destroyed the driver waits until no emission is open.
//
// Nothing here locks or allocates. An open emission is counted in one of many counters, chosen by thread, so
// that threads do not share a cache line.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "strata/ext/emit.h"
#include "strata/ext/training.h"

namespace strata::torch_source {

struct HostLink {
  const strata_host* host = nullptr;
  const strata_emit_service* emit = nullptr;
  const strata_training_service* training = nullptr;  // null: the host does not infer the loop
  std::uint64_t run = 0;  // from 1: a range begun in one run is not ended in another
};

// [loop-thread] After `wait_for_emissions`, with no host connected. Both arguments must live until
// `disconnect_host` and then `wait_for_emissions` have returned.
void connect_host(const strata_host* host, const strata_emit_service* emit,
                  const strata_training_service* training = nullptr);

// [loop-thread] or [exiting]. No further emission can open. Idempotent.
void disconnect_host();

// [loop-thread] With no host connected and no emission open on this thread: waits for those of other threads.
// False if one is still open after a second; its host has then given up on that thread, too.
bool wait_for_emissions();

// The message if it returned false.
inline constexpr const char* kStuckThread = "a thread has not returned from an event of the previous run.";

// [any] [alloc-lock] Keeps the host connected while it exists: create it for one event, on the stack.
class Emission {
 public:
  Emission() noexcept;
  ~Emission();
  Emission(const Emission&) = delete;
  Emission& operator=(const Emission&) = delete;

  // Whether a host is connected. If not, do not call any function below.
  explicit operator bool() const noexcept { return link_ != nullptr; }
  std::uint64_t run() const noexcept { return link_->run; }

  bool wanted(std::uint32_t interest) const noexcept {
    return (link_->emit->interest(link_->host) & interest) != 0;
  }
  void memory(const strata_memory_event& event) const noexcept { link_->emit->memory(link_->host, &event); }
  void graph(const strata_graph_event& event) const noexcept { link_->emit->graph(link_->host, &event); }
  // Not [alloc-lock].
  void tensor(const strata_tensor_event& event) const noexcept { link_->emit->tensor(link_->host, &event); }
  std::uint64_t op_begin(const strata_op_info& op) const noexcept {
    return link_->emit->op_begin(link_->host, &op);
  }
  void op_end(std::uint64_t op) const noexcept { link_->emit->op_end(link_->host, op); }
  bool hears_of_training() const noexcept { return link_->training != nullptr; }
  // Not [alloc-lock]. Only if the host infers the loop. Returns STRATA_TRAINING_WATCH_* bits.
  std::uint32_t training(std::uint32_t what, std::string_view name) const noexcept {
    return link_->training->tell(link_->host, what, name.data(), name.size());
  }
  // Not [alloc-lock].
  strata_name intern(std::string_view text) const noexcept {
    strata_name name{};
    link_->emit->intern(link_->host, text.data(), text.size(), &name);
    return name;
  }

 private:
  std::atomic<std::uint32_t>& open_;
  const HostLink* link_;
};

// [any] Reports that a block of host memory of this STRATA_DEVICE_* type was allocated or is being freed, or
// that an allocation failed. `handed_out_bytes`: strata_memory_event's, of an allocator that counts. No
// effect without a host.
void report_host_block(std::uint32_t device_type, std::uint32_t action, const void* address,
                       std::size_t bytes, std::uint64_t handed_out_bytes = 0) noexcept;

}  // namespace strata::torch_source
