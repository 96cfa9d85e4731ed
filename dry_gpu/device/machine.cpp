// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/machine.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "dry_gpu/device/account/messages.hpp"
#include "dry_gpu/device/kernels/nvrtc_builtins.hpp"
#include "dry_gpu/device/profile/visible_devices.hpp"

namespace strata::dry_gpu {
namespace {

struct Choice {
  std::mutex mutex;
  std::optional<MachineProfile> profile;
  bool made = false;
};

Choice& choice() {
  static Choice& only = *new Choice;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

std::atomic<Machine*> the_machine = nullptr;
std::atomic<bool> is_made = false;
std::atomic<bool> is_forked = false;
std::atomic<bool> is_copied_to_children = false;
std::atomic<void (*)(CUctx_st&)> context_listener = nullptr;

// Empty if the environment names none, or if it names one that is unusable; then the reason is reported.
std::optional<MachineProfile> profile_of_environment() {
  const char* const path = secure_getenv("STRATA_DRY_GPU");
  if (path == nullptr || *path == '\0') return std::nullopt;
  try {
    std::ifstream file(path);
    if (!file) throw std::invalid_argument("it cannot be read");
    return parse_profile(std::string(std::istreambuf_iterator<char>(file), {}));
  } catch (const std::exception& error) {
    say((std::string("STRATA_DRY_GPU=") + path).c_str(),
        (std::string("does not describe a device: ") + error.what()).c_str());
    return std::nullopt;
  }
}

std::optional<std::string_view> variable(const char* name) {
  const char* const value = secure_getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(value);
}

// A program that chose the devices by a call gets all of them.
void make() {
  Choice& chosen = choice();
  const std::scoped_lock lock(chosen.mutex);
  if (chosen.made) return;
  chosen.made = true;
  std::optional<std::string_view> visible;
  if (!chosen.profile) {
    chosen.profile = profile_of_environment();
    visible = variable("CUDA_VISIBLE_DEVICES");
  }
  if (chosen.profile) {
    auto devices = visible_devices(visible, static_cast<int>(chosen.profile->devices));
    if (!devices.empty())
      the_machine = std::make_unique<Machine>(*chosen.profile, std::move(devices)).release();
  }
  pthread_atfork(nullptr, nullptr, [] { is_forked = !is_copied_to_children; });
  is_made.store(true, std::memory_order_release);
}

}  // namespace

Machine::Machine(MachineProfile profile, std::vector<int> visible)
    : profile_(std::move(profile)),
      addresses_(static_cast<std::uint32_t>(visible.size()), profile_.span_bytes),
      virtual_memory_(addresses_, *this),
      clock_(profile_.clock.kind == ClockKind::kNone
                 ? nullptr
                 : std::make_unique<Clock>(profile_.device, profile_.clock, static_cast<int>(visible.size()),
                                           account().modelled)),
      streams_(static_cast<int>(visible.size()), clock_.get()),
      visible_(std::move(visible)) {
  account().devices = static_cast<std::uint32_t>(visible_.size());
  for (std::uint32_t index = 0; index < visible_.size(); ++index) {
    devices_.emplace_back(static_cast<int>(index), addresses_.span_of(index), addresses_.span_bytes(),
                          profile_.device);
  }
}

Device& Machine::used(int index) {
  Device& used = device(index);
  std::call_once(used.context_made, [&] {
    used.memory.take_part(profile_.device.context_bytes, 0);
    for (std::size_t part = 0; part < kContextParts; ++part) {
      const ContextPartProfile& planned = profile_.device.context_parts[part];
      if (planned.after_calls != kWhenTouched)
        used.memory.take_part_after(planned.after_calls, planned.bytes,
                                    free_addresses_of(static_cast<ContextPart>(part)));
    }
    used.has_context = true;
    open_nvrtc_builtins();
    if (auto* const told = context_listener.load()) told(used.context);
  });
  return used;
}

bool Machine::take_new_part(int index, ContextPart part) {
  Device& owner = used(index);
  const auto number = static_cast<std::size_t>(part);
  const ContextPartProfile& profile = profile_.device.context_parts[number];
  const std::scoped_lock lock(owner.context_parts.mutex);
  std::atomic<bool>& is_taken = owner.context_parts.is_taken[number];
  if (is_taken.load(std::memory_order_relaxed)) return true;
  if (profile.bytes > 0 && profile.after_calls == kWhenTouched) {
    if (!owner.memory.take_part(profile.bytes, free_addresses_of(part))) return false;
    account().context_parts[number].note(profile.bytes, owner.memory.calls());
  }
  is_taken.store(true, std::memory_order_release);
  return true;
}

std::optional<Machine::Place> Machine::find(Address address) const {
  if (const std::optional<int> index = addresses_.device_of(address)) {
    const Device& owner = devices_[static_cast<std::size_t>(*index)];
    auto allocation = owner.memory.find(address);
    if (!allocation) allocation = owner.pool.find(address);
    if (!allocation) return std::nullopt;
    return Place{*index, allocation->address, allocation->bytes};
  }
  if (!addresses_.is_reservable(address)) return std::nullopt;
  const auto mapping = virtual_memory_.find(address);
  if (!mapping) return std::nullopt;
  return Place{mapping->device, mapping->address, mapping->bytes};
}

std::optional<Address> Machine::variable(int device_index, const void* host_variable, std::uint64_t bytes) {
  Device& owner = used(device_index);
  const std::scoped_lock lock(owner.variables_mutex);
  const auto known = owner.variables.find(host_variable);
  if (known != owner.variables.end()) return known->second;
  const std::optional<Address> address = owner.memory.allocate(bytes);
  if (address) owner.variables.emplace(host_variable, *address);
  return address;
}

void Machine::freed(int device_index, std::uint64_t bytes) {
  device(device_index).memory.give_back(bytes);
}

void copy_to_children() noexcept {
  is_copied_to_children = true;
}

void choose(MachineProfile profile) {
  Choice& chosen = choice();
  const std::scoped_lock lock(chosen.mutex);
  if (chosen.made)
    throw std::logic_error("a device profile was chosen after the program had asked for its devices");
  chosen.profile = std::move(profile);
}

void set_context_listener(void (*told)(CUctx_st& context)) {
  context_listener = told;
}

bool is_machine_made() {
  return is_made.load(std::memory_order_acquire);
}

MachineState machine() {
  if (!is_made.load(std::memory_order_acquire)) make();
  return {the_machine.load(std::memory_order_relaxed), is_forked.load(std::memory_order_relaxed)};
}

}  // namespace strata::dry_gpu
