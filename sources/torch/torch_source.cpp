#include "sources/torch/torch_source.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "sources/torch/cpu_allocator.hpp"
#include "sources/torch/host_link.hpp"
#include "sources/torch/saved_tensors.hpp"
#include "sources/torch/self_check.hpp"
#include "strata/ext/run.h"
#include "strata/ext/step.h"

namespace strata::torch_source {
namespace {

void require(const std::string& problem) {
  if (!problem.empty()) throw std::runtime_error(problem);
}

}  // namespace

TorchSource::TorchSource(const strata_host* host)
    : plugin_{.struct_size = sizeof(strata_plugin),
              .reserved = 0,
              .self = this,
              .listener = &TorchSource::listener,
              .destroy = [](strata_plugin* plugin) { delete static_cast<TorchSource*>(plugin->self); }},
      host_(host),
      emit_(host_.service<strata_emit_service>(STRATA_EXT_EMIT)),
      ops_(host_.flag("ops")),
      saved_tensors_(host_.flag("saved_tensors")) {
  if (emit_ == nullptr)
    throw std::runtime_error("this host takes no events (it has no " STRATA_EXT_EMIT ").");
  require(self_check());
  if (saved_tensors_) require(install_saved_tensor_engine());
  if (host_.flag("cross_check")) memory_report_.emplace(host_);
}

TorchSource::~TorchSource() {
  end_run();
  wait_for_emissions();
}

const void* TorchSource::listener(strata_plugin* plugin, const char* id) {
  static constexpr strata_run_listener kRun{
      .struct_size = sizeof(strata_run_listener),
      .reserved = 0,
      .begin = [](void* self, const strata_when*,
                  const strata_run_info*) { static_cast<TorchSource*>(self)->begin_run(); },
      .ready = nullptr,
      .end = [](void* self, const strata_when*,
                std::uint32_t) { static_cast<TorchSource*>(self)->end_run(); }};
  static constexpr strata_step_listener kStep{
      .struct_size = sizeof(strata_step_listener),
      .reserved = 0,
      .begin = [](void* self, const strata_when*, const strata_step_info*) -> std::uint64_t {
        static_cast<TorchSource*>(self)->begin_step();
        return 0;
      },
      .end = nullptr};
  static constexpr strata_memory_listener kMemory{
      .struct_size = sizeof(strata_memory_listener),
      .reserved = 0,
      .on_memory = [](void* self, const strata_when* when, const strata_memory_event* memory) {
        static_cast<TorchSource*>(self)->memory_report_->on_memory(*when, *memory);
      }};
  const auto* const source = static_cast<TorchSource*>(plugin->self);
  if (std::strcmp(id, STRATA_EXT_RUN) == 0) return &kRun;
  if (std::strcmp(id, STRATA_EXT_STEP) == 0 && source->ops_) return &kStep;
  if (std::strcmp(id, STRATA_EXT_MEMORY) == 0 && source->memory_report_) return &kMemory;
  return nullptr;
}

void TorchSource::begin_run() {
  const std::string problem = wait_for_emissions() ? install_cpu_allocator() : kStuckThread;
  if (!problem.empty()) {
    host_.error(problem + " This run is not traced.");
    return;
  }
  if (memory_report_) memory_report_->begin();
  connect_host(host_.abi(), emit_);
  tell_saved_tensors(saved_tensors_);
  if (ops_) op_observer_.emplace();
}

// Interest changes at the window's edges, which are steps' edges.
void TorchSource::begin_step() {
  if (op_observer_) op_observer_->follow_interest();
}

// Also at a process's exit, where other threads may be gone: nothing here waits for one.
void TorchSource::end_run() {
  op_observer_.reset();
  tell_saved_tensors(false);
  restore_cpu_allocator();
  disconnect_host();
  if (memory_report_) memory_report_->end();
  if (const std::uint64_t blocks = take_blocks_not_followed(); blocks != 0) {
    host_.warning(
        std::to_string(blocks) +
        " CPU blocks could not be followed: their deleter was not their allocator's. They are missing "
        "from this run's memory.");
  }
}

}  // namespace strata::torch_source
