// SPDX-License-Identifier: Apache-2.0
// Stacks of the program's Python frames, each kept once for as long as the process lives. A frame that was
// met before costs no look at its names: they hang on its code object and the place in it, and each code
// object that was met is held, so that its address stays its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::torch_source {

struct PythonFrame {
  std::uint32_t id = 0;  // 1 and up
  std::uint32_t line = 0;
  std::string function;  // qualified, where Python says so (3.11)
  std::string file;
};

struct PythonStack {
  std::uint32_t id = 0;                    // 1 and up
  std::vector<const PythonFrame*> frames;  // innermost first
};

// How deep a stack is looked at, and how many different ones are kept. What lies further out, or comes later,
// is left out.
inline constexpr std::size_t kMostPythonFrames = 256;
inline constexpr std::size_t kMostPythonStacks = 1 << 16;

// [loop-thread] Looks for the interpreter; to be called before the first stack is taken. False: there is
// none.
bool prepare_python_stacks();

// [any] not [alloc-lock], and with nothing held that a Python program may wait for: it takes the
// interpreter's lock. The calling thread's stack, valid as long as the process; null: it has none, or there
// is no room.
const PythonStack* take_python_stack() noexcept;

// How many stacks there was no room for.
std::uint64_t python_stacks_left_out() noexcept;

}  // namespace strata::torch_source
