// SPDX-License-Identifier: Apache-2.0
// Identifies the copies that autocast makes. An operator covered by autocast casts its arguments itself,
// inside its own call, and only the arguments of these copies show that one of them is a weight. Observing
// arguments makes an operator 20 % slower, so only operators inside one that autocast covers are watched.
#pragma once

#include <ATen/record_function.h>

namespace strata::torch_source {

// [any] Whether autocast casts the arguments of this operator, which begins now, and no enclosing one on this
// thread is already watched.
bool casts_begin(const at::RecordFunction& function);

// [any] While it lives, reports copies to another number format that autocast makes on this thread. One at a
// time, on the thread that created it.
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
