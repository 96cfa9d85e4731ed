// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/stacked_arguments.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace strata::dry_gpu {
namespace {

constexpr std::size_t kMostArguments = 64;
constexpr std::size_t kMostArgumentBytes = 4096;  // CUDA's limit for all of a kernel's
constexpr std::size_t kNearBytes = 64;

Address end_of_stack() {
  thread_local const Address end = [] {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return Address{0};
    void* begin = nullptr;
    std::size_t bytes = 0;
    pthread_attr_getstack(&attributes, &begin, &bytes);
    pthread_attr_destroy(&attributes);
    return address_of(begin) + bytes;
  }();
  return end;
}

// Whether a word there belongs to a caller of this function.
bool is_on_stack(Address address) {
  const Address begin = address_of(__builtin_frame_address(0)), end = end_of_stack();
  return address >= begin && address < end && end - address >= sizeof(Address);
}

bool is_device_address(Address address, const AddressSpace& space) {
  return space.device_of(address) || space.is_reservable(address);
}

// The places of the arguments: the list ends where something else follows.
__attribute__((no_sanitize("address"))) std::vector<Address> places_of(void** arguments) {
  std::vector<Address> places;
  while (places.size() < kMostArguments && is_on_stack(address_of(arguments + places.size()))) {
    const Address place = address_of(arguments[places.size()]);
    if (!is_on_stack(place)) break;
    places.push_back(place);
  }
  return places;
}

Address word_at(Address place) __attribute__((no_sanitize("address")));
Address word_at(Address place) {
  return *reinterpret_cast<const Address*>(place);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

std::optional<StackedAddresses> addresses_in(void** arguments, const AddressSpace& space) {
  std::vector<Address> places = places_of(arguments);
  if (places.empty()) return std::nullopt;
  std::ranges::sort(places);
  places.push_back(std::min(places.back() + kMostArgumentBytes, end_of_stack()));
  StackedAddresses found;
  for (std::size_t index = 0; index + 1 < places.size(); ++index) {
    const Address begin = places[index] & ~Address{7};
    for (Address place = begin; place + sizeof(Address) <= places[index + 1]; place += sizeof(Address)) {
      const Address word = word_at(place);
      if (is_device_address(word, space))
        (place - begin < kNearBytes ? found.near : found.far).push_back(word);
    }
  }
  return found;
}

}  // namespace strata::dry_gpu
