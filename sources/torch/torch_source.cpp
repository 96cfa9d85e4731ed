#include "sources/torch/torch_source.hpp"

#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "sources/torch/cpu_allocator.hpp"
#include "sources/torch/cuda_allocator.hpp"
#include "sources/torch/host_link.hpp"
#include "sources/torch/pinned_allocator.hpp"
#include "sources/torch/saved_tensors.hpp"
#include "sources/torch/self_check.hpp"
#include "sources/torch/torch_release.hpp"

namespace strata::torch_source {
namespace {

void require(const std::string& problem) {
  if (!problem.empty()) throw std::runtime_error(problem);
}

}  // namespace

TorchSource::TorchSource(const Host& host)
    : host_(host),
      emit_(host_.service<strata_emit_service>(STRATA_EXT_EMIT)),
      ops_(host_.text("ops")),
      saved_tensors_(host_.flag("saved_tensors")) {
  require(release_mismatch(loaded_torch_release()));
  if (emit_ == nullptr)
    throw std::runtime_error("this host takes no events (it has no " STRATA_EXT_EMIT ").");
  require(self_check());
  if (saved_tensors_) require(install_saved_tensor_engine());
  if (host_.flag("cross_check")) memory_report_.emplace(host_);
}

TorchSource::~TorchSource() {
  try {
    let_go();
  } catch (const std::exception& error) {
    host_.error(std::string("cannot let go of torch: ") + error.what());
  }
  wait_for_emissions();
}

bool TorchSource::listens_to(const char* id) const {
  if (std::strcmp(id, STRATA_EXT_STEP) == 0) return true;
  if (std::strcmp(id, STRATA_EXT_MEMORY) == 0) return memory_report_.has_value();
  return std::strcmp(id, STRATA_EXT_RUN) == 0;
}

void TorchSource::begin_run(const strata_when&, const strata_run_info&) {
  workspaces_ = {};
  stepped_ = false;
  require(wait_for_emissions() ? install_cpu_allocator() : kStuckThread);
  if (const std::string problem = trace_cuda_allocator(); !problem.empty()) host_.warning(problem);
  if (const std::string problem = install_pinned_allocator(); !problem.empty()) host_.warning(problem);
  if (memory_report_) memory_report_->begin();
  connect_host(host_.abi(), emit_);
  tell_saved_tensors(saved_tensors_);
  if (ops_ != "none") op_observer_.emplace();
}

// Interest changes at the window's edges, which are steps' edges. Steps that wait for the window are not
// looked at operator by operator: torch's own record of each would cost more than all else that is traced.
// The first step is, for what it makes (optimizer state, gradients that are kept) stays.
void TorchSource::begin_step(const strata_when&, const strata_step_info& step) {
  const bool looking = ops_ == "run" || step.schedule != STRATA_STEP_WAIT || !stepped_;
  stepped_ = true;
  if (op_observer_) op_observer_->follow_interest(looking);
  workspaces_.tell();
}

void TorchSource::end_run(const strata_when&, std::uint32_t reason) {
  if (reason != STRATA_RUN_EXITED) workspaces_.tell();  // a thread that is gone may have kept the lock
  let_go();
}

void TorchSource::on_memory(const strata_when& when, const strata_memory_event& memory) {
  memory_report_->on_memory(when, memory);
}

void TorchSource::let_go() {
  op_observer_.reset();
  tell_saved_tensors(false);
  restore_cpu_allocator();
  restore_pinned_allocator();
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

STRATA_EXPORT_PLUGINS(strata::torch_source::TorchSource)
