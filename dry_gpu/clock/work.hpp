// SPDX-License-Identifier: Apache-2.0
// A piece of work that takes time in a stream, with the contents of its record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "dry_gpu/clock/estimate.hpp"
#include "dry_gpu/cuda_api.hpp"

namespace strata::dry_gpu {

struct KernelWork {
  const char* name;  // mangled if it is the program's; owned by the creator of the work
  dim3 grid, block;
  std::size_t shared_bytes;
};

struct CopyWork {
  cudaMemoryType source, target;  // unregistered: pageable host memory
  int source_device, target_device;
  std::size_t bytes;
};

struct FillWork {
  cudaMemoryType target;
  int value;
  std::size_t bytes;
};

struct Work {
  Estimate estimate;
  std::variant<KernelWork, CopyWork, FillWork> what;
};

// Its begin and end on the modelled clock.
struct Span {
  std::int64_t begin_ns, end_ns;
};

}  // namespace strata::dry_gpu
