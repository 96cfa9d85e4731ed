// SPDX-License-Identifier: Apache-2.0
// Under which op, phase and module a call of CUDA was made.
//
// CUPTI keeps one number a thread for us, and writes it beside each call. So each begin of an op, a phase or
// a module pushes a number of its own, and what all three were at that moment is kept here under it. Numbers
// rise and are never used twice in a process; the newest kSlots are remembered.
//
// [any] without a lock: threads note, one thread looks up.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

namespace strata::cupti {

struct Origin {
  std::uint64_t op = 0;  // STRATA_NONE, as the others
  std::uint32_t phase = 0;
  std::uint32_t module = 0;

  bool operator==(const Origin&) const = default;
};

class Origins {
 public:
  static constexpr std::uint64_t kSlots = std::uint64_t{1} << 18;

  Origins();

  // Its number, 1 and up.
  std::uint64_t note(const Origin& origin) noexcept;
  // Nothing for one that has been overwritten, or that never was.
  std::optional<Origin> find(std::uint64_t number) const noexcept;
  // Numbers from here on are of what is noted from now on.
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
