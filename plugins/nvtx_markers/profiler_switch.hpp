// SPDX-License-Identifier: Apache-2.0
// cudaProfilerStart and cudaProfilerStop of the CUDA runtime that this process has loaded. None is ever
// loaded here: a program on the CPU stays free of CUDA.
#pragma once

#include <string>

namespace strata::nvtx_markers {

class ProfilerSwitch {
 public:
  // [loop-thread] False when nothing could be switched, with `problem` telling why.
  bool start();
  // [loop-thread] Waits for the device first, so that what was launched is in the capture whole. Does nothing
  // unless `start` succeeded.
  bool stop();

  const std::string& problem() const noexcept { return problem_; }

 private:
  bool call(const char* function);

  bool on_ = false;
  std::string problem_;
};

}  // namespace strata::nvtx_markers
