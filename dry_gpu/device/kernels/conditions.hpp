// SPDX-License-Identifier: Apache-2.0
// What programs ask of values before they go on, as far as the kernels that a thread launches show it.
//
// Nobody knows what `tensor.all()` finds where nothing is computed. A program asks it to see that nothing is
// out of the ordinary: that values are finite, that a batch has no padding, that no row holds several
// sequences. A zero would say that something is, and send it a way that it goes on no card (transformers then
// makes masks as large as attention's scores). So two questions are answered with yes: whether all of a
// tensor is true, and whether a sum of integers is equal to a number above zero (`mask.sum() ==
// mask.numel()`). docs/decisions/030-conditions-are-met.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::dry_gpu {

// What one of PyTorch's kernels does, where that is part of such a question.
enum class ConditionPart : std::uint8_t {
  kNone,
  kAll,     // reduces with `and`
  kSum,     // sums integers of 64 bits
  kEquals,  // compares such integers with a number, which is in its second argument
};

// By its mangled name.
ConditionPart condition_part(std::string_view mangled);

// Of one thread, which launches what it reads the result of.
class Conditions {
 public:
  // `arguments` are those of the launch, and null where they are not known.
  void launched(const void* kernel, void** arguments);

  // Whether a boolean that is read now is the answer to such a question.
  bool is_answer_yes() const {
    return last_ == ConditionPart::kAll ||
           (last_ == ConditionPart::kEquals && before_ == ConditionPart::kSum && number_ > 0);
  }

 private:
  ConditionPart last_ = ConditionPart::kNone, before_ = ConditionPart::kNone;
  std::int64_t number_ = 0;  // that kEquals compares with
};

}  // namespace strata::dry_gpu
