// SPDX-License-Identifier: Apache-2.0
// Forwards every event to a sink. RECORDING_ID and RECORDING_FLAGS build several plugins from this file.
#include <string>

#include "strata/plugin.hpp"
#include "tests/runtime/plugins/recording_sink.hpp"

namespace {

constexpr strata_option kOptions[] = {
    {"sink", STRATA_OPTION_INTEGER, 0, "0", "address of the test's RecordingSink", nullptr, 0, 0}};

class Recording {
 public:
  static constexpr strata_descriptor kDescriptor = {sizeof(strata_descriptor),
                                                    RECORDING_FLAGS,
                                                    RECORDING_ID,
                                                    "1.0",
                                                    "Tells a test what it hears",
                                                    kOptions,
                                                    1,
                                                    0};

  explicit Recording(const strata::Host& host)
      // The option is an address of this process.
      : sink_(reinterpret_cast<strata::RecordingSink*>(host.integer("sink"))) {
    if (sink_ != nullptr && sink_->created != nullptr) sink_->created();
    if ((kDescriptor.flags & STRATA_DESCRIPTOR_SOURCE) == 0 || sink_ == nullptr) return;
    sink_->source_host = host.abi();
    sink_->emit = host.service<strata_emit_service>(STRATA_EXT_EMIT);
  }
  ~Recording() { tell("destroy", {}); }

  void begin_run(const strata_when& when, const strata_run_info& run) {
    tell(std::string("begin_run ") + run.name, when);
  }
  void ready(const strata_when& when) { tell("ready", when); }
  void end_run(const strata_when& when, std::uint32_t reason) {
    tell("end_run " + std::to_string(reason), when);
  }

  std::uint64_t begin_step(const strata_when& when, const strata_step_info& step) {
    tell("begin_step " + std::to_string(step.index), when);
    return 1000 + step.index;
  }
  void end_step(const strata_when& when, const strata_step_info& step, const strata_step_result& result,
                std::uint64_t token) {
    tell("end_step " + std::to_string(step.index) + (result.optimizer_ran != 0 ? "" : " without update"),
         when, token);
  }

  std::uint64_t begin_phase(const strata_when& when, const strata_phase_info& phase) {
    tell(std::string("begin_phase ") + phase.name.text, when);
    return 2000 + phase.ordinal;
  }
  void end_phase(const strata_when& when, const strata_phase_info& phase, std::uint64_t token) {
    tell(std::string("end_phase ") + phase.name.text, when, token);
  }

  std::uint64_t begin_module(const strata_when& when, const strata_module_info& module) {
    tell(std::string("begin_module ") + module.path.text, when);
    return 3000 + module.ordinal;
  }
  void end_module(const strata_when& when, const strata_module_info& module, std::uint64_t token) {
    tell(std::string("end_module ") + module.path.text, when, token);
  }

  std::uint64_t begin_op(const strata_when& when, const strata_op_info& op) {
    tell(std::string("begin_op ") + op.name.text, when);
    return op.ordinal;
  }
  void end_op(const strata_when& when, const strata_op_info& op, std::uint64_t token) {
    tell(std::string("end_op ") + op.name.text, when, token);
  }

  void on_memory(const strata_when& when, const strata_memory_event& memory) {
    tell("on_memory " + std::to_string(memory.bytes), when);
    if (sink_ != nullptr) sink_->pass();
  }
  void on_tensor(const strata_when& when, const strata_tensor_event& tensor) {
    tell(std::string("on_tensor ") + tensor.name.text, when);
  }
  void on_graph(const strata_when& when, const strata_graph_event& graph) {
    tell("on_graph " + std::to_string(graph.saved), when);
  }
  void on_activity(const strata_when& when, const strata_activity_event& activity) {
    tell(std::string("on_activity ") + activity.name.text, when);
  }
  void flush(std::uint32_t reason, std::int64_t) { tell("flush " + std::to_string(reason), {}); }

 private:
  void tell(std::string what, const strata_when& when, std::uint64_t token = 0) {
    if (sink_ != nullptr) sink_->write({RECORDING_ID, std::move(what), when, token});
  }

  strata::RecordingSink* sink_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(Recording)
