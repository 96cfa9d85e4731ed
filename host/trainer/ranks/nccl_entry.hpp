// SPDX-License-Identifier: Apache-2.0
// The interface to libstrata_nccl.so, which needs torch's CUDA half: a run on the CPU uses neither.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace strata::trainer {

// NCCL for `world_size` ranks, each on its process's current CUDA device. Both libraries are built together,
// so C++ types and exceptions can be passed.
using MakeNcclBackend = c10::intrusive_ptr<c10d::Backend> (*)(const c10::intrusive_ptr<c10d::Store>& store,
                                                              int rank, int world_size);

// The symbol to look up in libstrata_nccl.so: extern "C", of type MakeNcclBackend.
inline constexpr const char* kMakeNcclBackendSymbol = "strata_make_nccl_backend";

}  // namespace strata::trainer
