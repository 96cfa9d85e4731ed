// SPDX-License-Identifier: Apache-2.0
// A callback of RecordFunction that is registered only while it is wanted. One that is merely disabled is
// gone through, in each scope, for every node of every backward, where torch gives its threads the state of
// the thread that called backward.
#pragma once

#include <ATen/record_function.h>

#include <utility>

namespace strata::torch_source {

// Whoever owns it calls it from one thread at a time; also within a callback, its own too, which then still
// ends.
class SwitchedCallback {
 public:
  // Off.
  explicit SwitchedCallback(at::RecordFunctionCallback callback) : callback_(callback) {}
  ~SwitchedCallback() { switch_to(false); }
  SwitchedCallback(const SwitchedCallback&) = delete;
  SwitchedCallback& operator=(const SwitchedCallback&) = delete;

  bool is_on() const { return handle_ != at::INVALID_CALLBACK_HANDLE; }
  void switch_to(bool on) {
    if (on == is_on()) return;
    if (on) {
      handle_ = at::addGlobalCallback(callback_);
    } else {
      at::removeCallback(std::exchange(handle_, at::INVALID_CALLBACK_HANDLE));
    }
  }

 private:
  at::RecordFunctionCallback callback_;
  at::CallbackHandle handle_ = at::INVALID_CALLBACK_HANDLE;
};

}  // namespace strata::torch_source
