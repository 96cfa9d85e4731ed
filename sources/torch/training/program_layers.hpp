// SPDX-License-Identifier: Apache-2.0
// The layers of a Python program that attaches no model itself: found by the Python package's walk of its
// objects (python/strata/program_layers.py), which is asked for here, once.
//
// The walk runs on Python's main thread between two of the program's own instructions, as a signal's handler
// does: never within a call of torch, and never in what torch.compile looks at. A program that is not
// Python's is left alone.
#pragma once

namespace strata::torch_source {

class ProgramLayers {
 public:
  // [driver] Where a step begins.
  void begin_step();

 private:
  bool asked_ = false;
};

}  // namespace strata::torch_source
