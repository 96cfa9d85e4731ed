// SPDX-License-Identifier: Apache-2.0
// The devices of this process. There is one machine, created by the first call that needs it and never
// destroyed, because programs call CUDA from static destructors.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dry_gpu/clock/clock.hpp"
#include "dry_gpu/device/account/account.hpp"
#include "dry_gpu/device/account/counts.hpp"
#include "dry_gpu/device/handles.hpp"
#include "dry_gpu/device/memory/address_space.hpp"
#include "dry_gpu/device/memory/contents.hpp"
#include "dry_gpu/device/memory/device_memory.hpp"
#include "dry_gpu/device/memory/host_memory.hpp"
#include "dry_gpu/device/memory/memory_pool.hpp"
#include "dry_gpu/device/memory/virtual_memory.hpp"
#include "dry_gpu/device/profile/answers.hpp"
#include "dry_gpu/device/profile/context.hpp"
#include "dry_gpu/device/profile/profile.hpp"
#include "dry_gpu/device/streams.hpp"

namespace strata::dry_gpu {

struct Device {
  // Half of its addresses are for the memory pool.
  Device(int index, Address base, std::uint64_t span_bytes, const DeviceProfile& profile)
      : memory(base, span_bytes / 2, profile.memory_bytes),
        pool(base + span_bytes / 2, span_bytes / 2, memory),
        context{.device = index} {}

  DeviceMemory memory;
  MemoryPool pool;
  CUctx_st context;
  std::once_flag context_made;
  std::atomic<bool> has_context = false;
  ContextParts context_parts;
  std::mutex variables_mutex;
  std::map<const void*, Address> variables;
  std::atomic<std::uint64_t> peers = 0;  // a bit for each device whose memory it may access
};

class Machine final : private VirtualMemory::PageOwner {
 public:
  // `visible`: the devices of the profile that the process sees. If there are none, it has no machine.
  Machine(MachineProfile profile, std::vector<int> visible);

  const DeviceProfile& profile() const { return profile_.device; }
  std::uint64_t cudnn_workspace_bytes() const { return profile_.cudnn_workspace_bytes; }
  bool asks_cudnn() const { return profile_.asks_cudnn && profile_.cudnn_workspace_bytes == 0; }
  std::uint64_t nccl_memory_bytes() const { return profile_.nccl_memory_bytes; }
  std::uint32_t cusolver_workspace_bytes() const { return profile_.cusolver_workspace_bytes; }
  int devices() const { return static_cast<int>(devices_.size()); }
  bool has(int device) const { return device >= 0 && device < devices(); }

  Device& device(int index) { return devices_[static_cast<std::size_t>(index)]; }
  // The same, with its context, which takes its memory at the first use of the device.
  Device& used(int index);
  // Marks this part of the device's context as used by the program; the first time it takes its memory and
  // addresses. False if there is no space for it. [any thread]
  bool take_part(int device, ContextPart part) {
    return has_part(device, part) || take_new_part(device, part);
  }
  // Whether it was used before. [any thread]
  bool has_part(int device, ContextPart part) {
    const auto& is_taken = this->device(device).context_parts.is_taken[static_cast<std::size_t>(part)];
    return is_taken.load(std::memory_order_acquire);
  }

  // The number among all devices, from which its bus and UUID are derived.
  int ordinal(int device) const { return visible_[static_cast<std::size_t>(device)]; }

  // The memory at an address of a device. Empty if no device has memory there.
  struct Place {
    int device;
    Address address;  // of the whole allocation
    std::uint64_t bytes;
  };
  std::optional<Place> find(Address address) const;
  bool is_device_address(Address address) const {
    return addresses_.device_of(address).has_value() || addresses_.is_reservable(address);
  }

  const AddressSpace& addresses() const { return addresses_; }

  // The address of a variable of a program's kernels on a device, chosen at the first call. Empty if there is
  // no space.
  std::optional<Address> variable(int device, const void* host_variable, std::uint64_t bytes);

  HostMemory& host_memory() { return host_memory_; }
  const HostMemory& host_memory() const { return host_memory_; }
  VirtualMemory& virtual_memory() { return virtual_memory_; }
  Streams& streams() { return streams_; }
  Counts& counts() { return counts_; }
  // Null if there is none, and work takes no time.
  Clock* clock() { return clock_.get(); }
  Contents& contents() { return contents_; }
  Answers& answers() { return answers_; }

 private:
  void freed(int device, std::uint64_t bytes) override;
  bool take_new_part(int device, ContextPart part);

  const MachineProfile profile_;
  const AddressSpace addresses_;
  std::deque<Device> devices_;
  HostMemory host_memory_;
  VirtualMemory virtual_memory_;
  const std::unique_ptr<Clock> clock_;
  Streams streams_;
  Counts& counts_ = account().counts;
  Contents contents_{counts_, profile_.contents_bytes};
  Answers answers_{profile_.answers};
  const std::vector<int> visible_;
};

// Chooses the machine, before its first use; later it throws std::logic_error. Without a choice, the
// environment variable STRATA_DRY_GPU names a file in the format of parse_profile; then CUDA_VISIBLE_DEVICES
// also applies.
void choose(MachineProfile profile);

// Forked children get their own copy of this machine; without this call, theirs does not work.
void copy_to_children() noexcept;

// From now on, calls `told` when a context is created.
void set_context_listener(void (*told)(CUctx_st& context));

struct MachineState {
  Machine* machine;  // null: there is no device
  bool is_forked;    // a forked child of a process that had used it: CUDA fails everything there
};
MachineState machine();

// Whether a call has created the machine. CUDA's driver answers nothing before that.
bool is_machine_made();

}  // namespace strata::dry_gpu
