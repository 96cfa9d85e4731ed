// SPDX-License-Identifier: Apache-2.0
// Finds the layers of a Python program that does not attach its model, by asking the Python package once to
// walk its objects (python/strata_profiler/program_layers.py).
//
// If the step begins with a batch, the walk runs on Python's main thread between two instructions of the
// program, like a signal handler. If it begins with a forward, the walk runs before the forward's first
// operator, so that layers that are already running own what it makes. Programs that are not Python are left
// alone.
#pragma once

namespace strata::torch_source {

class ProgramLayers {
 public:
  // [loop-thread] Call when a step begins.
  void begin_step();

 private:
  bool asked_ = false;
};

// [any] Call when a forward begins, and a step with it: runs the walk if it is still due. Outside of all
// calls of the host; takes Python's lock. Does not throw.
void report_program_layers();

}  // namespace strata::torch_source
