// SPDX-License-Identifier: Apache-2.0
// What was mapped into the process when, so that addresses can be given names after its death.
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
  std::string build_id;          // in hexadecimal; empty where the linker gave none
  std::int64_t modified_ns = 0;  // its file, since 1970; 0: it has none
  std::uint64_t base = 0;        // what the loader added to the file's own addresses
  std::uint64_t begin = 0, end = 0;
};

class LoadedLibraries {
 public:
  LoadedLibraries() = default;
  LoadedLibraries(const LoadedLibraries&) = delete;
  LoadedLibraries& operator=(const LoadedLibraries&) = delete;

  // [any] not [alloc-lock] Those that no call gave before. Quick when nothing was loaded since.
  std::vector<LoadedLibrary> take_new();

  // [any] [alloc-lock] Whether a call of `take_new` gave the library of this address.
  bool knows(std::uint64_t address) const noexcept;

 private:
  struct Extent {
    std::uint64_t begin = 0, end = 0;
  };
  using Extents = std::vector<Extent>;  // by their begin

  std::mutex mutex_;
  unsigned long long loads_seen_ = 0;
  std::vector<LoadedLibrary> given_;
  // Never changed, and kept as long as this object: a thread may still be reading an older one.
  std::vector<std::unique_ptr<const Extents>> all_extents_;
  std::atomic<const Extents*> extents_{nullptr};
};

}  // namespace strata::allocator_tracer
