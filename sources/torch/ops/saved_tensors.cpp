// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/ops/saved_tensors.hpp"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/saved_variable_hooks.h>

#include <atomic>
#include <memory>

#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {
namespace {

using torch::autograd::Engine;
using torch::autograd::SavedVariableHooks;

std::atomic<std::uint64_t> saves{0};
std::atomic<bool> are_reported{false};  // the engine outlives the run that installed it

std::uint32_t device_type(c10::DeviceType type) {
  switch (type) {
    case c10::DeviceType::CPU:
      return STRATA_DEVICE_CPU;
    case c10::DeviceType::CUDA:
      return STRATA_DEVICE_CUDA;
    default:
      return STRATA_NONE;
  }
}

// One tensor that a node of the graph keeps. It dies when the node lets go.
class SavedTensor final : public SavedVariableHooks {
 public:
  void call_pack_hook(const at::Tensor& tensor) override {
    tensor_ = tensor.tensor_data();
    version_ = tensor_._version();
    report_save();
  }

  at::Tensor call_unpack_hook() override {
    TORCH_CHECK(tensor_._version() == version_,
                "one of the variables needed for gradient computation has been modified by an inplace "
                "operation: [",
                tensor_.toString(), " ", tensor_.sizes(), "] is at version ", tensor_._version(),
                "; expected version ", version_, " instead.");
    return tensor_;
  }

  ~SavedTensor() override {
    if (event_.saved == 0) return;
    const Emission emission;
    if (!emission || emission.run() != run_) return;
    event_.action = STRATA_GRAPH_RELEASE;
    emission.graph(event_);
  }

 private:
  void report_save() {
    if (!tensor_.has_storage()) return;
    const c10::Storage& storage = tensor_.storage();
    const std::uint32_t type = device_type(storage.device_type());
    if (storage.data() == nullptr || type == STRATA_NONE) return;
    const Emission emission;
    if (!emission) return;
    run_ = emission.run();
    event_ = {.struct_size = sizeof(event_),
              .action = STRATA_GRAPH_SAVE,
              .device = {.type = type,
                         .index = type == STRATA_DEVICE_CPU ? 0 : std::int32_t{storage.device().index()}},
              .saved = saves.fetch_add(1, std::memory_order_relaxed) + 1,
              .address = reinterpret_cast<std::uint64_t>(storage.data()),
              .storage_bytes = storage.nbytes()};
    emission.graph(event_);
  }

  at::Tensor tensor_;
  std::int64_t version_ = 0;
  std::uint64_t run_ = 0;
  strata_graph_event event_{};  // of the save; `saved` is 0 if it was not reported
};

class SavingEngine final : public Engine {
 public:
  std::unique_ptr<SavedVariableHooks> get_default_saved_variable_hooks() override {
    if (!are_reported.load(std::memory_order_relaxed)) return nullptr;
    const Emission emission;
    if (!emission || !emission.wanted(STRATA_INTEREST_GRAPH)) return nullptr;
    return std::make_unique<SavedTensor>();
  }
};

Engine& saving_engine() {
  // Never destroyed: its threads and the graphs that name it may outlive the end of main.
  static auto& engine = *new SavingEngine;
  return engine;
}

}  // namespace

std::string install_saved_tensor_engine() {
  Engine* const engine = &Engine::get_default_engine();
  if (engine == &saving_engine()) return {};
  if (engine != &Engine::get_base_engine()) {
    return "saved_tensors: another autograd engine is installed (a Python process has its own). Use "
           "saved_tensors: false here.";
  }
  torch::autograd::set_default_engine_stub(&saving_engine);
  return {};
}

void report_saved_tensors(bool told) noexcept {
  are_reported.store(told, std::memory_order_relaxed);
}

}  // namespace strata::torch_source
