// SPDX-License-Identifier: Apache-2.0
// The layers of a Python program that attaches no model itself: found by the Python package's walk of its
// objects (python/strata_profiler/program_layers.py), which is asked for here, once.
//
// Where the step begins with a batch the walk runs on Python's main thread between two of the program's own
// instructions, as a signal's handler does; where with a forward, before the forward's first operator, so
// that the layers that are at work by then have what it makes. A program that is not Python's is left alone.
#pragma once

namespace strata::torch_source {

class ProgramLayers {
 public:
  // [loop-thread] Where a step begins.
  void begin_step();

 private:
  bool asked_ = false;
};

// [any] Where a forward begins, and a step with it: the walk, if it is still to come. Outside of all calls of
// the host's; takes Python's lock. Nothing of it is thrown.
void report_program_layers();

}  // namespace strata::torch_source
