// SPDX-License-Identifier: Apache-2.0
// The modelled time by model, in the process's account.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <tuple>

#include "dry_gpu/clock/estimate.hpp"

namespace strata::dry_gpu {

struct ModelledSum {
  std::atomic<std::uint64_t> works = 0, ns = 0;
};

struct ModelledSums {
  std::atomic<std::uint64_t> is_modelled = 0;  // 1: this process has a modelled clock
  std::array<ModelledSum, 8> by_model;         // indexed by Model

  void add(const Estimate& estimate) {
    ModelledSum& sum = by_model[static_cast<std::size_t>(estimate.model)];
    sum.works.fetch_add(1, std::memory_order_relaxed);
    sum.ns.fetch_add(static_cast<std::uint64_t>(estimate.ns), std::memory_order_relaxed);
  }
};

static_assert(kModels <= std::tuple_size_v<decltype(ModelledSums::by_model)>);

}  // namespace strata::dry_gpu
