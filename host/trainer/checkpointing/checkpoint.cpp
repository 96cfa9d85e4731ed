// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/checkpointing/checkpoint.hpp"

#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "host/trainer/checkpointing/forward_state.hpp"
#include "host/trainer/checkpointing/kept_input.hpp"
#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"

namespace strata::trainer {
namespace {

// Thrown through the layer when it has saved again all that it had saved.
struct AllRecomputed {};

// A place in the graph whose tensor was dropped. After the layer ran again it holds what was saved there the
// second time, until the node that asks for it has it.
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
  // The hooks of what the second run saves.
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

// The note that stands where a tensor was saved.
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

}  // namespace

at::Tensor checkpoint(const LayerFunction& layer, const at::Tensor& x, const ModuleScope& scope,
                      InputPlace place) {
  const auto frame = std::make_shared<Frame>(layer, x, scope, place);
  const SavedTensorHooks hooks([&frame] { return std::make_unique<Dropped>(frame); });
  return layer(x);
}

}  // namespace strata::trainer
