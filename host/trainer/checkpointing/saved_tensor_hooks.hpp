// SPDX-License-Identifier: Apache-2.0
// Lets the trainer decide what autograd keeps for backward. LibTorch asks its engine for hooks whenever it
// saves a tensor, so an engine of our own, put in the default's place, hands them out.
#pragma once

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <functional>
#include <memory>

namespace strata::trainer {

using torch::autograd::SavedVariableHooks;

// [loop-thread] While one lives, the default engine is ours: the same as torch's, but for the hooks below.
// Another engine that was there before (the tracer's) is asked where we have none. One at a time.
class HookingEngine {
 public:
  HookingEngine();
  ~HookingEngine();
  HookingEngine(const HookingEngine&) = delete;
  HookingEngine& operator=(const HookingEngine&) = delete;
};

// [any] What `make` returns becomes the hooks of every tensor that the calling thread saves while it lives.
// They nest: the innermost is asked.
class SavedTensorHooks {
 public:
  explicit SavedTensorHooks(std::function<std::unique_ptr<SavedVariableHooks>()> make);
  ~SavedTensorHooks();
  SavedTensorHooks(const SavedTensorHooks&) = delete;
  SavedTensorHooks& operator=(const SavedTensorHooks&) = delete;

  std::unique_ptr<SavedVariableHooks> make() const { return make_(); }

 private:
  std::function<std::unique_ptr<SavedVariableHooks>()> make_;
  SavedTensorHooks* outer_;
};

// [any] Hooks for one tensor, of the engine that was there before: if it watches which tensors are kept, it
// has to learn of ours, too. Null when it does not watch.
std::unique_ptr<SavedVariableHooks> watching_hooks();

}  // namespace strata::trainer
