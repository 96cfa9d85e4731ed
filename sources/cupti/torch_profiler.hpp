// SPDX-License-Identifier: Apache-2.0
// Whether torch.profiler records in this process, which then has no device events: CUPTI is ours.
#pragma once

namespace strata::cupti {

class TorchProfiler {
 public:
  // Looks for torch among what the process has loaded; where there is none, nothing records.
  TorchProfiler();

  // [any] Whether it records on the calling thread: for what it started on, and for autograd's threads on its
  // behalf. A few nanoseconds.
  bool records() const { return enabled_ != nullptr && enabled_(); }

 private:
  bool (*enabled_)() = nullptr;
};

}  // namespace strata::cupti
