// SPDX-License-Identifier: Apache-2.0
// Stacks of the program's Python frames, each kept once for the life of the process. The names of a frame are
// read only the first time: they are cached by its code object and the position in it. Each code object seen
// is kept alive, so that its address is not reused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::torch_source {

struct PythonFrame {
  std::uint32_t id = 0;  // from 1
  std::uint32_t line = 0;
  std::string function;  // qualified, if Python reports it (3.11)
  std::string file;
};

struct PythonStack {
  std::uint32_t id = 0;                    // from 1
  std::vector<const PythonFrame*> frames;  // innermost first
};

// The maximum depth of a stack, and the maximum number of different stacks. Outer frames and later stacks are
// left out.
inline constexpr std::size_t kMostPythonFrames = 256;
inline constexpr std::size_t kMostPythonStacks = 1 << 16;

// [loop-thread] Looks for the interpreter; call before the first stack is taken. False if there is none.
bool prepare_python_stacks();

// [any] not [alloc-lock], and without holding anything that a Python program may wait for: it takes the
// interpreter's lock. The calling thread's stack, valid as long as the process. Null if it has none, or if
// there is no space for it.
const PythonStack* take_python_stack() noexcept;

// Number of stacks for which there was no space.
std::uint64_t python_stacks_left_out() noexcept;

}  // namespace strata::torch_source
