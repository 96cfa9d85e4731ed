// SPDX-License-Identifier: Apache-2.0
// A RecordFunction callback that is registered only while it is wanted. If torch gives its threads the state
// of the thread that called backward, it visits even a disabled callback, in each scope, for every node of
// every backward.
#pragma once

#include <ATen/record_function.h>

#include <utility>

namespace strata::torch_source {

// Its owner calls it from one thread at a time. That may be inside a callback, even its own, which then still
// ends.
class SwitchedCallback {
 public:
  // Initially off.
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
