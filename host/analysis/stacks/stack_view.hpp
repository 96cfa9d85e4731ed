// SPDX-License-Identifier: Apache-2.0
// A stack as shown to users: without the recording and allocating frames at its inner end, without the entry
// of the program and the C library at its outer end, and without the dispatcher's frames in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/stacks/symboliser.hpp"

namespace strata::analysis {

// The owner of a frame.
enum class FrameOwner : std::uint8_t {
  kRecorder,   // Strata itself, while recording
  kAllocator,  // the framework's allocators, and functions that make empty tensors
  kDispatch,   // from an operator's name to its kernel
  kFramework,  // the framework's operators, modules, autograd
  kSystem,     // the C and C++ libraries, threads, the interpreter, the program's entry
  kProgram     // the user's: all others
};
FrameOwner owner_of(const Frame& frame);

// "strata::optimizers::AdamW::step", or "libfoo.so+0x1234" if it has no name.
std::string frame_name(const Frame& frame);
// "adamw.cpp:88", or "" without a line.
std::string frame_place(const Frame& frame);

class StackView {
 public:
  // `stacks` must outlive this.
  explicit StackView(const CallStacks& stacks) : stacks_(stacks), symboliser_(stacks.libraries) {}

  // All frames, innermost first. Frames of the Python program are inserted where the interpreter was last
  // entered, before the interpreter's own.
  std::vector<Frame> whole(std::uint32_t stack);
  // The frames shown to users; all frames if none would remain.
  std::vector<Frame> trimmed(std::uint32_t stack);
  // The origin of the memory: the innermost frame of the program, preferably in Python; else the node of the
  // backward graph; else the framework's frame. Empty if none of them has a name.
  std::optional<Frame> origin(std::uint32_t stack);

  const std::vector<std::string>& warnings() const { return symboliser_.warnings(); }

 private:
  const CallStacks& stacks_;
  Symboliser symboliser_;
};

}  // namespace strata::analysis
