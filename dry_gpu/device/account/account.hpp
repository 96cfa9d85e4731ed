// SPDX-License-Identifier: Apache-2.0
// The process's account of everything that was not really done: in memory, or in a file that outlives the
// process however it ends (strata/dry_gpu.h).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "dry_gpu/clock/modelled_sums.hpp"
#include "dry_gpu/device/account/counts.hpp"
#include "dry_gpu/device/profile/context.hpp"
#include "strata/dry_gpu.h"

namespace strata::dry_gpu {

struct RefusedEntry {
  std::array<char, 56> function;
  std::atomic<std::uint64_t> calls;
};

struct ReaderEntry {
  std::array<char, 104> name;
  std::atomic<std::uint64_t> unknown_reads, unknown_bytes, answered_reads;
};

// A part of a context that this process took, on the first device that used it.
struct ContextPartEntry {
  std::atomic<std::uint64_t> bytes;  // 0: not taken
  std::atomic<std::uint64_t> after_calls;

  void note(std::uint64_t taken_bytes, std::uint64_t calls) noexcept {
    std::uint64_t none = 0;
    if (bytes.compare_exchange_strong(none, taken_bytes)) after_calls = calls;
  }
};

struct Account {
  std::array<char, 16> kind;
  std::atomic<std::uint64_t> devices;
  std::atomic<std::uint64_t> refused_functions;
  std::array<std::uint64_t, 4> reserved;
  Counts counts;
  std::array<RefusedEntry, STRATA_DRY_GPU_ACCOUNT_REFUSED> refused;
  std::array<ReaderEntry, STRATA_DRY_GPU_ACCOUNT_READERS> readers;
  std::array<ContextPartEntry, STRATA_DRY_GPU_CONTEXT_PARTS> context_parts;
  ModelledSums modelled;
};

static_assert(sizeof(Account) == sizeof(strata_dry_gpu_account));
static_assert(offsetof(Account, counts) == offsetof(strata_dry_gpu_account, launches));
static_assert(offsetof(Account, counts) + offsetof(Counts, unknown_workspaces) ==
              offsetof(strata_dry_gpu_account, unknown_workspaces));
static_assert(offsetof(Account, counts) + offsetof(Counts, bounded_workspaces) ==
              offsetof(strata_dry_gpu_account, bounded_workspaces));
static_assert(offsetof(Account, refused) == offsetof(strata_dry_gpu_account, refused));
static_assert(offsetof(Account, readers) == offsetof(strata_dry_gpu_account, readers));
static_assert(offsetof(Account, context_parts) == offsetof(strata_dry_gpu_account, context_parts));
static_assert(sizeof(ContextPartEntry) == sizeof(strata_dry_gpu_context_part));
static_assert(kContextParts <= STRATA_DRY_GPU_CONTEXT_PARTS);
static_assert(offsetof(Account, modelled) == offsetof(strata_dry_gpu_account, is_modelled));
static_assert(sizeof(ModelledSum) == sizeof(strata_dry_gpu_modelled));

// [any thread] Created by the first call, and kept until the process ends. A forked child continues with its
// parent's account.
Account& account() noexcept;

// Moves it to a file of this process; the account's address in memory stays the same.
void move_account() noexcept;

}  // namespace strata::dry_gpu
