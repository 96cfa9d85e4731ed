// SPDX-License-Identifier: Apache-2.0
// Tells whose copies autocast makes. An operator that autocast covers casts its arguments itself, inside its
// own call, and nothing but these copies' arguments says that one of them is a weight. To see arguments costs
// an operator a fifth, so that only operators inside of one that autocast covers are watched.
#pragma once

#include <ATen/record_function.h>

namespace strata::torch_source {

// [any] Whether autocast casts the arguments of this operator, which begins now, and none around it on this
// thread is watched already.
bool casts_begin(const at::RecordFunction& function);

// [any] While it lives, this thread's copies into another number format that autocast makes are told of. One
// at a time, on the thread that made it.
class CastWatch {
 public:
  CastWatch();
  ~CastWatch();
  CastWatch(const CastWatch&) = delete;
  CastWatch& operator=(const CastWatch&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace strata::torch_source
