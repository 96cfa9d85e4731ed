// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/checkpointing/checkpoint.hpp"

#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"
#include "host/trainer/module_scope.hpp"
#include "host/trainer/precision/number_format.hpp"

namespace strata::trainer {
namespace {

// The state that a checkpointed layer keeps from its forward until it is repeated.

// The state that a forward depends on besides its inputs and weights: random number generators and autocast.
class ForwardState {
 public:
  // The calling thread's state, for a forward on `device` of the module at `scope`, which keeps it.
  ForwardState(at::Device device, const ModuleScope& scope);

  // While it lives, generators have their old state, autocast is set and gradients are recorded; then the
  // generators are restored.
  class Again {
   public:
    explicit Again(const ForwardState& state);
    ~Again();
    Again(const Again&) = delete;
    Again& operator=(const Again&) = delete;

   private:
    at::Device device_;
    at::Tensor cpu_generator_;     // its state at the forward
    at::Tensor device_generator_;  // undefined on the CPU
    AutocastGuard autocast_;
    at::AutoGradMode gradients_;
  };

 private:
  at::Device device_;
  at::Tensor cpu_generator_;
  at::Tensor device_generator_;
  AutocastState autocast_;
};

// A tensor that we keep, reported to the engine that observes saved tensors.
class Kept {
 public:
  void keep(const at::Tensor& tensor);
  const at::Tensor& tensor() const { return tensor_; }
  // Stops keeping it and returns it.
  at::Tensor take();

 private:
  at::Tensor tensor_;
  std::unique_ptr<SavedVariableHooks> watched_;
};

enum class InputPlace { kWhereItIs, kHostMemory };

// The layer's input: on its device, or in host memory.
class KeptInput {
 public:
  // A copy to host memory is ordered on the current stream: `x` may be freed at once.
  KeptInput(const at::Tensor& x, InputPlace place, const ModuleScope& scope);

  // The input for the repeated forward: the same tensor, or an equal one on its device again. It requires a
  // gradient if `x` did, and is not a leaf if `x` was not.
  at::Tensor bring_back(const ModuleScope& scope) const;

 private:
  Kept kept_;
  at::Device device_;
  bool is_moved_;
  bool requires_gradient_;
};

at::Tensor generator_state(at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_generator_state(at::Device device, const at::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

at::Tensor device_generator_state(at::Device device) {
  return device.is_cpu() ? at::Tensor() : generator_state(device);
}

constexpr const char* kInput = "input";

at::Tensor host_copy(const at::Tensor& x) {
  const at::NoGradGuard no_gradients;
  const at::TensorOptions options = x.options().device(at::kCPU).pinned_memory(x.is_cuda());
  return at::empty(x.sizes(), options).copy_(x, /*non_blocking=*/true);
}

ForwardState::ForwardState(at::Device device, const ModuleScope& scope)
    : device_(device),
      cpu_generator_(generator_state(at::kCPU)),
      device_generator_(device_generator_state(device)),
      autocast_(AutocastState::current(device.type())) {
  scope.keeps("cpu_generator", cpu_generator_);
  scope.keeps("device_generator", device_generator_);
}

ForwardState::Again::Again(const ForwardState& state)
    : device_(state.device_),
      cpu_generator_(generator_state(at::kCPU)),
      device_generator_(device_generator_state(state.device_)),
      autocast_(state.device_.type(), state.autocast_),
      gradients_(true) {
  set_generator_state(at::kCPU, state.cpu_generator_);
  if (device_generator_.defined()) set_generator_state(device_, state.device_generator_);
}

ForwardState::Again::~Again() {
  set_generator_state(at::kCPU, cpu_generator_);
  if (device_generator_.defined()) set_generator_state(device_, device_generator_);
}

void Kept::keep(const at::Tensor& tensor) {
  tensor_ = tensor;
  watched_ = watching_hooks();
  if (watched_) watched_->call_pack_hook(tensor.detach());
}

at::Tensor Kept::take() {
  watched_.reset();
  return std::exchange(tensor_, {});
}

KeptInput::KeptInput(const at::Tensor& x, InputPlace place, const ModuleScope& scope)
    : device_(x.device()),
      is_moved_(place == InputPlace::kHostMemory),
      requires_gradient_(x.requires_grad()) {
  // Not detached: a detached tensor would be a leaf, and autocast caches its casts of leaves.
  kept_.keep(is_moved_ ? host_copy(x) : x);
  is_moved_ ? scope.offloads(kInput, kept_.tensor()) : scope.keeps(kInput, x);
}

at::Tensor KeptInput::bring_back(const ModuleScope& scope) const {
  if (!is_moved_) return kept_.tensor();
  at::Tensor back;
  {
    const at::NoGradGuard no_gradients;
    back = kept_.tensor().to(device_, kept_.tensor().scalar_type(), /*non_blocking=*/true, /*copy=*/true);
  }
  scope.keeps(kInput, back);
  if (!requires_gradient_) return back;
  // A view: autocast would take a leaf for a weight, and keep its cast.
  return back.requires_grad_().view_as(back);
}

// Thrown through the layer once it has saved everything again.
struct AllRecomputed {};

// A place in the graph with a dropped tensor. After the layer has been repeated it holds the tensor saved
// there the second time, until the requesting node takes it.
using Slot = Kept;

// One layer's forward that is to run again. The notes in its graph share it.
class Frame {
 public:
  Frame(LayerFunction layer, const at::Tensor& x, ModuleScope scope, InputPlace place)
      : layer_(std::move(layer)),
        scope_(std::move(scope)),
        state_(x.device(), scope_),
        input_(x, place, scope_) {}

  void add(const std::shared_ptr<Slot>& slot) { slots_.push_back(slot); }

  void run_again() {
    const auto range = scope_.enter_again();
    const ForwardState::Again again(state_);
    saved_again_ = 0;
    const SavedTensorHooks hooks([this] { return std::make_unique<SavedAgain>(*this); });
    try {
      layer_(input_.bring_back(scope_));
    } catch (const AllRecomputed&) {
    }
    if (saved_again_ != slots_.size()) {
      throw std::logic_error(
          "checkpointing: a layer saved fewer tensors in its second run than in its first; its result must "
          "depend only on its input, its weights and the random number generators.");
    }
  }

 private:
  // Hooks for tensors saved by the repeated forward.
  class SavedAgain final : public SavedVariableHooks {
   public:
    explicit SavedAgain(Frame& frame) : frame_(frame) {}
    void call_pack_hook(const at::Tensor& tensor) override { frame_.save_again(tensor); }
    at::Tensor call_unpack_hook() override {
      throw std::logic_error("checkpointing: the graph of a layer's second run was used");
    }

   private:
    Frame& frame_;
  };

  void save_again(const at::Tensor& tensor) {
    if (saved_again_ == slots_.size())
      throw std::logic_error(
          "checkpointing: a layer saved more tensors in its second run than in its first.");
    // A node that has run already, or died with the graph, needs nothing any more.
    if (const std::shared_ptr<Slot> slot = slots_[saved_again_].lock()) slot->keep(tensor.detach());
    if (++saved_again_ == slots_.size()) throw AllRecomputed{};
  }

  LayerFunction layer_;
  ModuleScope scope_;
  ForwardState state_;
  KeptInput input_;
  std::vector<std::weak_ptr<Slot>> slots_;  // in the order of saving
  std::size_t saved_again_ = 0;
};

// Stands in the graph where a tensor was saved.
class Dropped final : public SavedVariableHooks {
 public:
  explicit Dropped(std::shared_ptr<Frame> frame)
      : frame_(std::move(frame)), slot_(std::make_shared<Slot>()) {}

  void call_pack_hook(const at::Tensor& /*tensor*/) override { frame_->add(slot_); }

  at::Tensor call_unpack_hook() override {
    if (!slot_->tensor().defined()) frame_->run_again();
    return slot_->take();
  }

 private:
  std::shared_ptr<Frame> frame_;
  std::shared_ptr<Slot> slot_;
};

at::Tensor checkpoint(const LayerFunction& layer, const at::Tensor& x, const ModuleScope& scope,
                      InputPlace place) {
  const auto frame = std::make_shared<Frame>(layer, x, scope, place);
  const SavedTensorHooks hooks([&frame] { return std::make_unique<Dropped>(frame); });
  return layer(x);
}

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kLayerRun = "run";

// The data that backward needs to repeat the layer.
struct LayerRun : torch::CustomClassHolder {
  LayerRun(LayerFunction function, ModuleScope module, at::Device device)
      : layer(std::move(function)), scope(std::move(module)), state(device, scope) {}

  LayerFunction layer;
  ModuleScope scope;
  ForwardState state;
};

struct RunAgain : torch::autograd::Function<RunAgain> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const LayerFunction& layer,
                            const ModuleScope& scope) {
    context->save_for_backward({x});
    scope.keeps("input", x);
    context->saved_data[kLayerRun] =
        c10::IValue::make_capsule(c10::make_intrusive<LayerRun>(layer, scope, x.device()));
    return layer(x);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto capsule = context->saved_data.at(kLayerRun).toCapsule();
    auto& run = static_cast<LayerRun&>(*capsule);
    const at::Tensor x = context->get_saved_variables().front().detach().requires_grad_(true);
    at::Tensor output;
    {
      const auto range = run.scope.enter_again();
      const ForwardState::Again again(run.state);
      output = run.layer(x);
    }
    torch::autograd::backward({output}, gradients);
    return {x.grad(), {}, {}};
  }
};

at::Tensor reentrant_checkpoint(const LayerFunction& layer, const at::Tensor& x, const ModuleScope& scope) {
  if (!x.requires_grad()) {
    throw std::invalid_argument(
        "checkpointing: reentrant: the input of a layer requires no gradient, so its weights would get none. "
        "Use reentrant: false.");
  }
  return RunAgain::apply(x, layer, scope);
}

}  // namespace

at::Tensor CheckpointPlan::run_block(std::size_t block, const ModuleScope& scope, const LayerFunction& layer,
                                     const at::Tensor& x, const OwnedTensors& owned) const {
  const bool is_nth = (block + 1) % static_cast<std::size_t>(config_.every) == 0;
  return run(config_.part == config::CheckpointedPart::kBlocks && is_nth, scope, layer, x, owned);
}

at::Tensor CheckpointPlan::run_attention(const ModuleScope& scope, const LayerFunction& layer,
                                         const at::Tensor& x, const OwnedTensors& owned) const {
  return run(config_.part == config::CheckpointedPart::kAttention, scope, layer, x, owned);
}

at::Tensor CheckpointPlan::run_feed_forward(const ModuleScope& scope, const LayerFunction& layer,
                                            const at::Tensor& x) const {
  return run(config_.part == config::CheckpointedPart::kFeedForward, scope, layer, x, {});
}

at::Tensor CheckpointPlan::run(bool checkpointed, const ModuleScope& scope, const LayerFunction& layer,
                               const at::Tensor& x, const OwnedTensors& owned) const {
  if (!checkpointed || !c10::GradMode::is_enabled()) return layer(x);
  for (const OwnedTensor& kept : owned) scope.keeps(kept.name, kept.tensor);
  if (config_.reentrant) return reentrant_checkpoint(layer, x, scope);
  return checkpoint(layer, x, scope, config_.offload ? InputPlace::kHostMemory : InputPlace::kWhereItIs);
}

}  // namespace strata::trainer
