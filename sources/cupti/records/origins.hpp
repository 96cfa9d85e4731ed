// SPDX-License-Identifier: Apache-2.0
// The op, phase and module under which a CUDA call was made.
//
// CUPTI keeps one number per thread for us and records it with each call. So each begin of an op, a phase or
// a module pushes a new number, under which the current op, phase and module are kept here. Numbers increase
// and are never reused within a process; the newest kSlots are kept.
//
// [any] without a lock: all threads write, one thread looks up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace strata::cupti {

struct Origin {
  std::uint64_t op = 0;  // or STRATA_NONE, as the others
  std::uint32_t phase = 0;
  std::uint32_t module = 0;

  bool operator==(const Origin&) const = default;
};

class Origins {
 public:
  static constexpr std::uint64_t kSlots = std::uint64_t{1} << 18;

  Origins();

  // Returns its number, from 1.
  std::uint64_t note(const Origin& origin) noexcept;
  // Empty if the number was overwritten or never existed.
  std::optional<Origin> find(std::uint64_t number) const noexcept;
  // The first number that will be assigned from now on.
  std::uint64_t next_number() const noexcept { return last_.load(std::memory_order_relaxed) + 1; }

 private:
  struct Slot {
    std::atomic<std::uint64_t> number{0};  // 0: empty, or being written
    std::atomic<std::uint64_t> op{0};
    std::atomic<std::uint64_t> phase_and_module{0};
  };

  std::atomic<std::uint64_t> last_{0};
  std::unique_ptr<std::array<Slot, kSlots>> slots_;
};

}  // namespace strata::cupti
