// SPDX-License-Identifier: Apache-2.0
// cudaProfilerStart and cudaProfilerStop of the CUDA runtime loaded by this process. It is never loaded here:
// a program on the CPU stays free of CUDA.
#pragma once

#include <string>

namespace strata::nvtx_markers {

class ProfilerSwitch {
 public:
  // [loop-thread] False if the profiler could not be switched; `problem` is the reason.
  bool start();
  // [loop-thread] First waits for the device, so that the capture contains all launched work. No effect
  // unless `start` succeeded.
  bool stop();

  const std::string& problem() const noexcept { return problem_; }

 private:
  bool call(const char* function);

  bool on_ = false;
  std::string problem_;
};

}  // namespace strata::nvtx_markers
