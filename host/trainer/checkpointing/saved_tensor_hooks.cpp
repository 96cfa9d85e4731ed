// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"

#include <utility>

namespace strata::trainer {
namespace {

using torch::autograd::Engine;

thread_local SavedTensorHooks* innermost = nullptr;
Engine* engine_before = nullptr;  // set before ours is asked for anything

Engine& previous_engine() {
  return *engine_before;
}

class AskingEngine final : public Engine {
 public:
  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    return innermost != nullptr ? innermost->make() : watching_hooks();
  }
};

Engine& asking_engine() {
  // Never destroyed: its threads and the graphs that name it may outlive the end of main.
  static auto& engine = *new AskingEngine;
  return engine;
}

}  // namespace

HookingEngine::HookingEngine() {
  engine_before = &Engine::get_default_engine();
  torch::autograd::set_default_engine_stub(&asking_engine);
}

HookingEngine::~HookingEngine() {
  torch::autograd::set_default_engine_stub(&previous_engine);
}

SavedTensorHooks::SavedTensorHooks(std::function<std::unique_ptr<SavedVariableHooks>()> make)
    : make_(std::move(make)), outer_(std::exchange(innermost, this)) {}

SavedTensorHooks::~SavedTensorHooks() {
  innermost = outer_;
}

std::unique_ptr<SavedVariableHooks> watching_hooks() {
  return engine_before->get_default_saved_variable_hooks();
}

}  // namespace strata::trainer
