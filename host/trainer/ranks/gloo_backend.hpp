// SPDX-License-Identifier: Apache-2.0
// Collectives among processes on CPUs.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "host/trainer/entry.hpp"

namespace strata::trainer {

// Meets the other ranks through `store`, and returns when all are there. Throws c10::Error.
c10::intrusive_ptr<c10d::Backend> make_gloo_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    const RankPlace& place);

}  // namespace strata::trainer
