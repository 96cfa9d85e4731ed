// SPDX-License-Identifier: Apache-2.0
// What an instance of the C++ layer receives after its faults disabled it.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "strata/plugin.hpp"

namespace strata {
namespace {

std::vector<std::string> heard;

class Faulty {
 public:
  explicit Faulty(const Host&) {}
  static bool listens_to(const char* id) { return std::string(id) != STRATA_EXT_GRAPH; }

  std::uint64_t begin_phase(const strata_when&, const strata_phase_info&) {
    heard.emplace_back("begin_phase");
    return 5;
  }
  void end_phase(const strata_when&, const strata_phase_info&, std::uint64_t token) {
    heard.push_back("end_phase " + std::to_string(token));
  }
  void on_tensor(const strata_when&, const strata_tensor_event&) { throw std::runtime_error("tensor"); }
  void on_graph(const strata_when&, const strata_graph_event&) {}
  void flush(std::uint32_t, std::int64_t) { heard.emplace_back("flush"); }
  void end_run(const strata_when&, std::uint32_t) { heard.emplace_back("end_run"); }
};

class FaultGuardTest : public testing::Test {
 protected:
  FaultGuardTest() {
    host_.service = [](const strata_host*, const char*) -> const void* { return nullptr; };
    plugin_ = (new PluginObject<Faulty>(Host(&host_)))->abi();
    heard.clear();
  }
  ~FaultGuardTest() override { plugin_->destroy(plugin_); }

  template <typename Listener>
  const Listener& listener(const char* id) const {
    return *static_cast<const Listener*>(plugin_->listener(plugin_, id));
  }

  strata_host host_{};
  strata_plugin* plugin_ = nullptr;
  strata_when when_{};
};

TEST_F(FaultGuardTest, OneThatIsSwitchedOffGetsWhatItIsOwedAndNothingNew) {
  // As in a host: every interface is requested once, before the first event.
  const auto& phase = listener<strata_phase_listener>(STRATA_EXT_PHASE);
  const auto& tensor = listener<strata_tensor_listener>(STRATA_EXT_TENSOR);
  const auto& flush = listener<strata_flush_listener>(STRATA_EXT_FLUSH);
  const auto& run = listener<strata_run_listener>(STRATA_EXT_RUN);
  const strata_phase_info info{};
  const std::uint64_t owed = phase.begin(plugin_->self, &when_, &info);
  const strata_tensor_event event{};
  for (std::uint32_t fault = 0; fault < kFaultLimit; ++fault) tensor.on_tensor(plugin_->self, &when_, &event);
  const std::uint64_t late = phase.begin(plugin_->self, &when_, &info);
  phase.end(plugin_->self, &when_, &info, late);
  phase.end(plugin_->self, &when_, &info, owed);
  flush.flush(plugin_->self, STRATA_FLUSH_RUN_END, 0);
  run.end(plugin_->self, &when_, STRATA_RUN_DONE);
  EXPECT_EQ(heard, (std::vector<std::string>{"begin_phase", "end_phase 5", "flush", "end_run"}));
}

TEST_F(FaultGuardTest, AClassMayLeaveAListenerOut) {
  EXPECT_EQ(plugin_->listener(plugin_, STRATA_EXT_GRAPH), nullptr);
  EXPECT_NE(plugin_->listener(plugin_, STRATA_EXT_TENSOR), nullptr);
}

}  // namespace
}  // namespace strata
