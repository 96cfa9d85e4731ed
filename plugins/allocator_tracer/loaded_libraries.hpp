// SPDX-License-Identifier: Apache-2.0
// Which libraries were mapped into the process and when, so that addresses can be symbolised after its death.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace strata::allocator_tracer {

struct LoadedLibrary {
  std::string path;              // absolute
  std::string build_id;          // in hexadecimal; empty if the linker wrote none
  std::int64_t modified_ns = 0;  // of its file, since 1970; 0: no file
  std::uint64_t base = 0;        // added by the loader to the addresses in the file
  std::uint64_t begin = 0, end = 0;
};

class LoadedLibraries {
 public:
  LoadedLibraries() = default;
  LoadedLibraries(const LoadedLibraries&) = delete;
  LoadedLibraries& operator=(const LoadedLibraries&) = delete;

  // [any] not [alloc-lock] Returns libraries not returned before. Fast if nothing was loaded since.
  std::vector<LoadedLibrary> take_new();

  // [any] [alloc-lock] Whether `take_new` has returned the library of this address.
  bool knows(std::uint64_t address) const noexcept;

 private:
  struct Extent {
    std::uint64_t begin = 0, end = 0;
  };
  using Extents = std::vector<Extent>;  // sorted by begin

  std::mutex mutex_;
  unsigned long long loads_seen_ = 0;
  std::vector<LoadedLibrary> given_;
  // Never changed, and kept as long as this object: a thread may still be reading an older one.
  std::vector<std::unique_ptr<const Extents>> all_extents_;
  std::atomic<const Extents*> extents_{nullptr};
};

}  // namespace strata::allocator_tracer
