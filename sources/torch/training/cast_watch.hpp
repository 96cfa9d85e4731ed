// SPDX-License-Identifier: Apache-2.0
// Identifies the copies that autocast makes. An operator covered by autocast casts its arguments itself,
// inside its own call, and only the arguments of these copies show that one of them is a weight. Observing
// arguments makes an operator 20 % slower, so only operators inside one that autocast covers are watched. For
// the same reason, only operators inside aten::clone are watched for clones of parameters and gradients.
#pragma once

#include <ATen/record_function.h>

namespace strata::torch_source {

// [any] Whether autocast casts the arguments of this operator, which begins now, and no enclosing one on this
// thread is already watched.
bool casts_begin(const at::RecordFunction& function);

// [any] Whether this operator, which begins now, clones a tensor, and no enclosing one on this thread is
// already watched.
bool clone_begins(const at::RecordFunction& function);

// [any] not [alloc-lock]. If this operator copies a parameter or a gradient, reports its destination as a
// copy.
void report_copy_of_owner(const at::RecordFunction& function);

enum class Watched { kCasts, kClone };

// [any] While it lives, reports copies to another number format that autocast makes on this thread, or the
// clone. One at a time, on the thread that created it.
class CastWatch {
 public:
  explicit CastWatch(Watched watched);
  ~CastWatch();
  CastWatch(const CastWatch&) = delete;
  CastWatch& operator=(const CastWatch&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace strata::torch_source
