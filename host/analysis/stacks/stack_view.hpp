// SPDX-License-Identifier: Apache-2.0
// A stack as a reader wants it: without what recorded and allocated at its inner end, without the program's
// and the C library's own beginnings at its outer end, and without the dispatcher's steps between them.
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

// Who a frame belongs to.
enum class FrameOwner : std::uint8_t {
  kRecorder,   // Strata's own, while it records
  kAllocator,  // the framework's allocators, and the functions that make empty tensors
  kDispatch,   // steps from an operator's name to its kernel
  kFramework,  // the framework's operators, modules, autograd
  kSystem,     // the C and C++ libraries, threads, the interpreter, the program's entry
  kProgram     // the user's: whatever is none of these
};
FrameOwner owner_of(const Frame& frame);

// "strata::optimizers::AdamW::step", or "libfoo.so+0x1234" without a name.
std::string frame_name(const Frame& frame);
// "adamw.cpp:88", or "" without a line.
std::string frame_place(const Frame& frame);

class StackView {
 public:
  // `stacks` must outlive this.
  explicit StackView(const CallStacks& stacks) : stacks_(stacks), symboliser_(stacks.libraries) {}

  // All frames, innermost first. Those of the Python program stand where the interpreter was entered for the
  // last time, before the interpreter's own.
  std::vector<Frame> whole(std::uint32_t stack);
  // Those that a reader wants; all, where nothing would be left.
  std::vector<Frame> trimmed(std::uint32_t stack);
  // Where the memory comes from: the innermost frame that is the program's, one in Python before all
  // others; else the node of the backward graph, else the framework's. Nothing: none of them has a name.
  std::optional<Frame> origin(std::uint32_t stack);

  const std::vector<std::string>& warnings() const { return symboliser_.warnings(); }

 private:
  const CallStacks& stacks_;
  Symboliser symboliser_;
};

}  // namespace strata::analysis
