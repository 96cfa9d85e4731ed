// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/address_space.hpp"

#include <sys/mman.h>

#include <algorithm>

namespace strata::dry_gpu {
namespace {

constexpr Address kBase = 0x300000000000;
constexpr std::uint64_t kTebibyte = std::uint64_t{1} << 40;
// Of the 80 TiB above it; the rest is left for the host's own memory, which grows down towards it.
constexpr std::uint64_t kMostBytes = 64 * kTebibyte;
// Below where programs are loaded, 85 TiB and up.
constexpr std::uint64_t kFreeBytes = 32 * kTebibyte;
// Per device, even if the total exceeds them: memory, and ranges for some streams.
constexpr std::uint64_t kSomeBytes = 2 * kTebibyte;
constexpr std::uint64_t kGrain = std::uint64_t{4} << 20;

// The share of every device, including ranges to map the same amount again.
std::uint64_t span_that_fits(std::uint32_t devices, std::uint64_t wanted) {
  const auto shared = [&](std::uint64_t bytes) {
    return bytes / (2 * std::uint64_t{devices}) / kGrain * kGrain;
  };
  return std::min(wanted, std::max(shared(kFreeBytes), std::min(kSomeBytes, shared(kMostBytes))));
}

Address reserve(std::uint64_t bytes) {
  void* const wanted = reinterpret_cast<void*>(kBase);  // NOLINT(performance-no-int-to-ptr)
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef __SANITIZE_THREAD__
  constexpr bool kMayBeWanted = false;  // ThreadSanitizer keeps those addresses for itself
#else
  constexpr bool kMayBeWanted = true;
#endif
  if (kMayBeWanted && mmap(wanted, bytes, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0) == wanted)
    return kBase;
  void* const given = mmap(nullptr, bytes, PROT_NONE, flags, -1, 0);
  return given == MAP_FAILED ? kBase : reinterpret_cast<Address>(given);
}

}  // namespace

AddressSpace::AddressSpace(std::uint32_t devices, std::uint64_t span_bytes)
    : base_(reserve(2 * std::uint64_t{devices} * span_that_fits(devices, span_bytes))),
      span_bytes_(span_that_fits(devices, span_bytes)),
      devices_(devices) {}

}  // namespace strata::dry_gpu
