// The devices of this process. There is one machine, made by the first call that needs it and never
// destroyed: programs call CUDA from their static destructors.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>

#include "dry_gpu/device/account.hpp"
#include "dry_gpu/device/address_space.hpp"
#include "dry_gpu/device/counts.hpp"
#include "dry_gpu/device/device_memory.hpp"
#include "dry_gpu/device/handles.hpp"
#include "dry_gpu/device/host_memory.hpp"
#include "dry_gpu/device/memory_pool.hpp"
#include "dry_gpu/device/profile.hpp"
#include "dry_gpu/device/streams.hpp"
#include "dry_gpu/device/virtual_memory.hpp"

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
  std::mutex variables_mutex;
  std::map<const void*, Address> variables;
  std::atomic<std::uint64_t> peers = 0;  // a bit for each device whose memory it may use
};

class Machine final : private VirtualMemory::PageOwner {
 public:
  explicit Machine(MachineProfile profile);

  const DeviceProfile& profile() const { return profile_.device; }
  int devices() const { return static_cast<int>(devices_.size()); }
  bool has(int device) const { return device >= 0 && device < devices(); }

  Device& device(int index) { return devices_[static_cast<std::size_t>(index)]; }
  // The same, with its context, which takes its memory when the device is used first.
  Device& used(int index);

  // What lies at an address of a device. Nothing: no device has memory there.
  struct Place {
    int device;
    Address address;  // of the whole allocation
    std::uint64_t bytes;
  };
  std::optional<Place> find(Address address) const;
  bool is_device_address(Address address) const {
    return addresses_.device_of(address).has_value() || addresses_.is_reservable(address);
  }

  // Where a variable of a program's kernels lies on a device, which is decided when it is asked for first.
  // Nothing: no room.
  std::optional<Address> variable(int device, const void* host_variable, std::uint64_t bytes);

  HostMemory& host_memory() { return host_memory_; }
  VirtualMemory& virtual_memory() { return virtual_memory_; }
  Streams& streams() { return streams_; }
  Counts& counts() { return counts_; }

 private:
  void freed(int device, std::uint64_t bytes) override;

  const MachineProfile profile_;
  const AddressSpace addresses_;
  std::deque<Device> devices_;
  HostMemory host_memory_;
  VirtualMemory virtual_memory_;
  Streams streams_;
  Counts& counts_ = account().counts;
};

// Chooses the machine, before its first use; later it is an error (std::logic_error). Without a choice, the
// environment names a file in the form of parse_profile: STRATA_DRY_GPU.
void choose(MachineProfile profile);

struct MachineState {
  Machine* machine;  // null: there is no device
  bool is_forked;    // this is the child of a process that had used it: CUDA refuses everything there
};
MachineState machine();

}  // namespace strata::dry_gpu
