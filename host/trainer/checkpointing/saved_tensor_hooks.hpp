// SPDX-License-Identifier: Apache-2.0
// Gives the trainer control over the tensors that autograd saves for backward. LibTorch asks its engine for
// hooks whenever it saves a tensor, so we replace the default engine by our own, which provides them.
#pragma once

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <functional>
#include <memory>

namespace strata::trainer {

using torch::autograd::SavedVariableHooks;

// [loop-thread] While an instance lives, the default engine is ours: identical to torch's except for the
// hooks below. An engine installed before (the tracer's) is asked if we have no hooks. One at a time.
class HookingEngine {
 public:
  HookingEngine();
  ~HookingEngine();
  HookingEngine(const HookingEngine&) = delete;
  HookingEngine& operator=(const HookingEngine&) = delete;
};

// [any] While it lives, `make` provides the hooks of every tensor saved by the calling thread. They nest: the
// innermost is used.
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

// [any] Hooks for one tensor from the previously installed engine: if it observes saved tensors, it must also
// see ours. Null if it does not.
std::unique_ptr<SavedVariableHooks> watching_hooks();

}  // namespace strata::trainer
