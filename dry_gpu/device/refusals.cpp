// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/refusals.hpp"

#include <algorithm>
#include <cstring>

#include "dry_gpu/device/account/messages.hpp"
#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {
namespace {

std::atomic<Refused*> latest = nullptr;

void enter(Refused& function) noexcept {
  Account& of_process = account();
  const std::uint64_t index = of_process.refused_functions.fetch_add(1, std::memory_order_relaxed);
  if (index >= of_process.refused.size()) return;
  RefusedEntry& entry = of_process.refused[index];
  std::strncpy(entry.function.data(), function.name, entry.function.size() - 1);
  function.entry.store(&entry, std::memory_order_release);
}

}  // namespace

void refuse(Refused& function) noexcept {
  const bool first = function.calls.fetch_add(1, std::memory_order_relaxed) == 0;
  if (first) enter(function);
  if (RefusedEntry* const entry = function.entry.load(std::memory_order_acquire))
    entry->calls.store(function.calls.load(std::memory_order_relaxed), std::memory_order_relaxed);
  if (!first) return;
  function.next = latest.load(std::memory_order_relaxed);
  while (!latest.compare_exchange_weak(function.next, &function, std::memory_order_release)) {
  }
  say(function.name, "is not implemented; it returned its library's error for unsupported calls");
}

int succeed_without_effect() noexcept {
  if (Machine* const devices = machine().machine) devices->counts().library_calls.add();
  return 0;
}

std::vector<const Refused*> refused() {
  std::vector<const Refused*> all;
  for (const Refused* each = latest.load(std::memory_order_acquire); each != nullptr; each = each->next)
    all.push_back(each);
  std::ranges::reverse(all);
  return all;
}

}  // namespace strata::dry_gpu
