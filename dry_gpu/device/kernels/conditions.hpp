// SPDX-License-Identifier: Apache-2.0
// Conditions on values that programs check before they go on, as far as the kernels launched by a thread show
// them.
//
// The result of `tensor.all()` is unknown if nothing is computed. A program calls it to check that nothing
// unusual has happened: that values are finite, that a batch has no padding, that no row contains several
// sequences. A zero would say the opposite, and lead to a code path that the program takes on no real GPU
// (transformers then makes masks as large as attention's scores). So two questions are answered with yes:
// whether all of a tensor is true, and whether a sum of integers equals a number above zero (`mask.sum() ==
// mask.numel()`). docs/decisions/030-conditions-are-met.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::dry_gpu {

// The role of one of PyTorch's kernels in such a condition, and of the kernels whose values are known by
// themselves.
enum class ConditionPart : std::uint8_t {
  kNone,
  kAll,     // reduces with `and`
  kSum,     // sums integers of 64 bits
  kEquals,  // compares such integers with its second argument
  kFill,    // in no condition: gives elements the value of its second argument
};

// By the kernel's mangled name.
ConditionPart condition_part(std::string_view mangled);

// For one thread, which launches the kernels whose result it reads.
class Conditions {
 public:
  // `arguments` are those of the launch; null if unknown.
  void launched(const void* kernel, void** arguments);

  bool is_fill() const { return last_ == ConditionPart::kFill; }

  // Whether a boolean read now is the answer to such a condition.
  bool is_answer_yes() const {
    return last_ == ConditionPart::kAll ||
           (last_ == ConditionPart::kEquals && before_ == ConditionPart::kSum && number_ > 0);
  }

 private:
  ConditionPart last_ = ConditionPart::kNone, before_ = ConditionPart::kNone;
  std::int64_t number_ = 0;  // the operand of kEquals
};

}  // namespace strata::dry_gpu
