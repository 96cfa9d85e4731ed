#include "sources/torch/torch_source.hpp"

#include <cstring>
#include <stdexcept>

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

template <typename Service>
const Service* service(const strata_host* host, const char* id) {
  const auto* const found = static_cast<const Service*>(host->service(host, id));
  if (found == nullptr) throw std::runtime_error(std::string("this host has no ") + id + ".");
  return found;
}

}  // namespace

TorchSource::TorchSource(const strata_host* host)
    : plugin_{.struct_size = sizeof(strata_plugin),
              .reserved = 0,
              .self = this,
              .listener = &TorchSource::listener,
              .destroy = [](strata_plugin* plugin) { delete static_cast<TorchSource*>(plugin->self); }},
      host_(host),
      ops_(host->option_flag(host, "ops") != 0) {
  service<strata_emit_service>(host, STRATA_EXT_EMIT);
  require(self_check());
  if (host->option_flag(host, "saved_tensors") != 0) require(install_saved_tensor_engine());
  if (host->option_flag(host, "cross_check") != 0) {
    memory_report_.emplace(host, service<strata_store_service>(host, STRATA_EXT_STORE));
  }
}

TorchSource::~TorchSource() {
  end_run();
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
  if (memory_report_) memory_report_->begin();
  connect_host(host_, service<strata_emit_service>(host_, STRATA_EXT_EMIT));
  if (const std::string problem = install_cpu_allocator(); !problem.empty()) warn(problem);
  if (ops_) op_observer_.emplace();
}

// Interest changes at the window's edges, which are steps' edges.
void TorchSource::begin_step() {
  if (op_observer_) op_observer_->follow_interest();
}

void TorchSource::end_run() {
  op_observer_.reset();
  restore_cpu_allocator();
  disconnect_host();
  if (memory_report_) memory_report_->end();
  if (blocks_not_followed() != 0) {
    warn(std::to_string(blocks_not_followed()) +
         " CPU blocks could not be followed: their deleter was not their allocator's. They are missing from "
         "this run's memory.");
  }
}

void TorchSource::warn(const std::string& text) const {
  const auto* const log = static_cast<const strata_log_service*>(host_->service(host_, STRATA_EXT_LOG));
  if (log != nullptr) log->write(host_, STRATA_LOG_WARNING, text.c_str());
}

}  // namespace strata::torch_source
