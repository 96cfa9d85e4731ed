// SPDX-License-Identifier: Apache-2.0
// Whether torch.profiler records in this process. It then gets no device events, because CUPTI is ours.
#pragma once

namespace strata::cupti {

class TorchProfiler {
 public:
  // Looks for torch among the loaded libraries; without it, `records` is always false.
  TorchProfiler();

  // [any] Whether it records on the calling thread: true on the threads it was started for, and on autograd's
  // threads on their behalf. Takes a few nanoseconds.
  bool records() const { return enabled_ != nullptr && enabled_(); }

 private:
  bool (*enabled_)() = nullptr;
};

}  // namespace strata::cupti
