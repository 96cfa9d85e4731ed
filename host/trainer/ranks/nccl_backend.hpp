// SPDX-License-Identifier: Apache-2.0
// Collectives among processes that have a CUDA device each.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "host/trainer/entry.hpp"

namespace strata::trainer {

// On the current CUDA device; the ranks meet at the first collective. Throws std::runtime_error when this
// build has no NCCL, or c10::Error.
c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    const RankPlace& place);

}  // namespace strata::trainer
