// SPDX-License-Identifier: Apache-2.0
// Attribution of frames to torch or the program, by torch's own function and file names.
#include "host/analysis/stacks/stack_view.hpp"

#include <gtest/gtest.h>

namespace strata::analysis {
namespace {

Frame frame(const char* function, const char* library, const char* file = "") {
  Frame made;
  made.function = function;
  made.library = library;
  made.file = file;
  return made;
}

TEST(StackView, TellsWhoseAFrameIs) {
  constexpr const char* kTrainer = "/opt/strata/lib/strata/libstrata_trainer.so";
  constexpr const char* kTorch = "/venv/torch/lib/libtorch_cpu.so";
  EXPECT_EQ(owner_of(frame("strata::trainer::AdamW::step()", kTrainer)), FrameOwner::kProgram);
  EXPECT_EQ(owner_of(frame("my_step(int)", "/program/trainer")), FrameOwner::kProgram);
  EXPECT_EQ(owner_of(frame("", "/program/trainer")), FrameOwner::kProgram);
  // Torch's headers compiled into the program.
  EXPECT_EQ(owner_of(frame("at::Tensor::add(at::Tensor const&) const", kTrainer)), FrameOwner::kFramework);
  EXPECT_EQ(owner_of(frame("void std::__invoke_impl<int>()", kTrainer)), FrameOwner::kSystem);
  EXPECT_EQ(owner_of(frame("__invoke_r<...>", kTrainer, "/usr/include/c++/12/bits/invoke.h")),
            FrameOwner::kSystem);
  EXPECT_EQ(owner_of(frame("at::_ops::add_Tensor::call(at::Tensor const&)", kTorch)), FrameOwner::kFramework);
  EXPECT_EQ(owner_of(frame("at::_ops::add_Tensor::redispatch(int)", kTorch)), FrameOwner::kDispatch);
  EXPECT_EQ(owner_of(frame("c10::impl::wrap_kernel_functor_unboxed_<int>::call()", kTorch)),
            FrameOwner::kDispatch);
  EXPECT_EQ(owner_of(frame("at::detail::empty_generic(int)", kTorch)), FrameOwner::kAllocator);
  EXPECT_EQ(owner_of(frame("main", "/program/trainer")), FrameOwner::kSystem);
  EXPECT_EQ(owner_of(frame("__libc_start_main", "/lib/libc.so.6")), FrameOwner::kSystem);
  EXPECT_EQ(owner_of(frame("f", "/opt/lib/strata/plugins/allocator_tracer.so")), FrameOwner::kRecorder);
  EXPECT_EQ(owner_of(frame("g", "/opt/lib/strata/sources/torch.so")), FrameOwner::kRecorder);
}

TEST(StackView, NamesFramesWithoutAFunctionByTheirPlace) {
  Frame unknown = frame("", "/program/trainer");
  unknown.offset = 0x12ab;
  EXPECT_EQ(frame_name(unknown), "trainer+0x12ab");
  EXPECT_EQ(frame_place(unknown), "");
  Frame known = frame("f(int)", "/program/trainer", "/src/a/b.cpp");
  known.line = 7;
  EXPECT_EQ(frame_name(known), "f");
  EXPECT_EQ(frame_place(known), "b.cpp:7");
}

Frame python_frame(const char* function, const char* file) {
  Frame made = frame(function, "", file);
  made.python = true;
  return made;
}

TEST(StackView, TellsWhoseAPythonFrameIs) {
  EXPECT_EQ(owner_of(python_frame("train", "/program/train.py")), FrameOwner::kProgram);
  EXPECT_EQ(owner_of(python_frame("<module>", "<string>")), FrameOwner::kProgram);
  EXPECT_EQ(owner_of(python_frame("main", "/program/torch/train.py")), FrameOwner::kProgram);
  EXPECT_EQ(owner_of(python_frame("Linear.forward", "/v/lib/python3.11/site-packages/torch/nn/linear.py")),
            FrameOwner::kFramework);
  EXPECT_EQ(owner_of(python_frame("relu", "/usr/lib/python3/dist-packages/torch/nn/functional.py")),
            FrameOwner::kFramework);
  EXPECT_EQ(owner_of(python_frame("vision", "/v/lib/python3.11/site-packages/torchvision/ops.py")),
            FrameOwner::kProgram);
  EXPECT_EQ(owner_of(python_frame("run_module", "<frozen runpy>")), FrameOwner::kSystem);
  EXPECT_EQ(frame_name(python_frame("make.<locals>.<lambda>", "/program/train.py")),
            "make.<locals>.<lambda>");
}

TEST(StackView, PutsThePythonProgramWhereTheInterpreterWasEntered) {
  CallStacks stacks;
  stacks.libraries = {{"/nowhere/libtorch_cpu.so", "", 0, 0, 0x1000, 0x2000},
                      {"/nowhere/libpython3.11.so.1.0", "", 0, 0, 0x2000, 0x3000}};
  stacks.addresses = {{0x1100, 0x2100, 0x1200, 0x2200}, {0x1100}, {0x1100, 0x2100}};
  stacks.python = {
      {{"relu", "/v/site-packages/torch/nn/functional.py", 3}, {"train", "/program/train.py", 7}}};
  stacks.python_of = {0, 0, CallStacks::kNoPython};
  StackView view(stacks);
  const auto line_at = [&](std::uint32_t stack, std::size_t position) {
    return view.whole(stack).at(position).line;
  };
  ASSERT_EQ(view.whole(0).size(), 6u);
  EXPECT_EQ(line_at(0, 1), 3u);
  EXPECT_EQ(line_at(0, 2), 7u);
  ASSERT_EQ(view.whole(1).size(), 3u);  // the interpreter is beyond the recorded frames
  EXPECT_EQ(line_at(1, 2), 7u);
  EXPECT_EQ(view.whole(2).size(), 2u);
  ASSERT_EQ(view.trimmed(0).size(), 2u);
  ASSERT_TRUE(view.origin(0));
  EXPECT_EQ(view.origin(0)->function, "train");
  EXPECT_FALSE(view.origin(2));
}

// Without names, every frame is kept.
TEST(StackView, TrimsNoStackToNothing) {
  CallStacks stacks;
  stacks.addresses = {{0x10, 0x20}, {}};
  StackView view(stacks);
  EXPECT_EQ(view.whole(0).size(), 2u);
  EXPECT_EQ(view.trimmed(0).size(), 2u);
  EXPECT_EQ(view.trimmed(1).size(), 0u);
  EXPECT_FALSE(view.origin(0));
}

}  // namespace
}  // namespace strata::analysis
