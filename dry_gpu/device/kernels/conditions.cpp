// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/conditions.hpp"

#include <array>
#include <atomic>
#include <cstring>

#include "dry_gpu/device/kernels/kernels.hpp"

namespace strata::dry_gpu {
namespace {

// A cache of launched kernels, by host function, which is aligned to 16 bytes: each entry is such an address
// with the part in its low bits. A kernel that replaces another one is looked up again, which only costs
// time.
constexpr std::size_t kEntries = 4096;
constexpr std::uintptr_t kPartBits = 7;
static_assert(static_cast<std::uintptr_t>(ConditionPart::kFill) <= kPartBits);

ConditionPart part_of(const void* kernel) {
  static std::array<std::atomic<std::uintptr_t>, kEntries> known;
  const auto address = reinterpret_cast<std::uintptr_t>(kernel);
  if ((address & kPartBits) != 0) return ConditionPart::kNone;  // no function's address
  std::atomic<std::uintptr_t>& entry = known[(address >> 4) % kEntries];
  const std::uintptr_t seen = entry.load(std::memory_order_relaxed);
  if ((seen & ~kPartBits) == address) return static_cast<ConditionPart>(seen & kPartBits);
  const auto registered = kernels().kernel(kernel);
  const ConditionPart part = registered ? condition_part(registered->name) : ConditionPart::kNone;
  entry.store(address | static_cast<std::uintptr_t>(part), std::memory_order_relaxed);
  return part;
}

// AUnaryFunctor<long, long, bool, CompareEqFunctor<long>> of ATen, which is a kernel's second argument: equal
// (0) or unequal, and the number. Zero where it is not known, or asks for something else.
std::int64_t compared_number(void** arguments) {
  if (arguments == nullptr) return 0;
  struct Comparison {
    std::int32_t operation;
    std::int64_t number;
  } comparison{};
  std::memcpy(&comparison, arguments[1], sizeof comparison);
  return comparison.operation == 0 ? comparison.number : 0;
}

}  // namespace

ConditionPart condition_part(std::string_view mangled) {
  const auto has = [&](std::string_view part) { return mangled.find(part) != std::string_view::npos; };
  if (mangled.starts_with("_ZN2at6native13reduce_kernel")) {
    if (has("15and_kernel_cuda")) return ConditionPart::kAll;
    return has("11sum_functorIlll") ? ConditionPart::kSum : ConditionPart::kNone;
  }
  if (mangled.starts_with("_ZN2at6native29vectorized_elementwise_kernel") && has("NS0_11FillFunctorI"))
    return ConditionPart::kFill;
  const bool compares = mangled.starts_with("_ZN2at6native") && has("elementwise_kernel") &&
                        has("13AUnaryFunctorIllb") && has("16CompareEqFunctorIl");
  return compares ? ConditionPart::kEquals : ConditionPart::kNone;
}

void Conditions::launched(const void* kernel, void** arguments) {
  before_ = last_;
  last_ = part_of(kernel);
  if (last_ == ConditionPart::kEquals) number_ = compared_number(arguments);
}

}  // namespace strata::dry_gpu
