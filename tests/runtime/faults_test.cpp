// SPDX-License-Identifier: Apache-2.0
// Plugins and trainers that violate the contract: training continues, and the faults are counted.
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Faults : public SessionTest {
 protected:
  PluginStatus status_of(const std::string& id) const {
    for (const PluginStatus& status : session_->plugins()) {
      if (status.id == id) return status;
    }
    return {};
  }

  // The log of the session while `body` runs.
  template <typename Body>
  static std::string log_of(Body&& body) {
    testing::internal::CaptureStderr();
    body();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Faults, WhatAPluginThrowsIsCountedAndTheOthersGoOn) {
  options_.plugins.push_back({"thrower", {}, ""});
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
  EXPECT_EQ(status_of("thrower").faults, 1u);
  EXPECT_EQ(status_of("thrower").status, "ok");
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"begin_run run", "begin_phase forward", "end_phase forward"}));
}

TEST_F(Faults, APluginIsSwitchedOffAfterItsFaults) {
  options_.plugins.push_back({"thrower", {}, ""});
  Session& session = open();
  session.begin_run();
  for (int i = 0; i < 20; ++i) session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
  const PluginStatus status = status_of("thrower");
  EXPECT_EQ(status.status, "failed");
  EXPECT_EQ(status.faults, 8u);
  EXPECT_EQ(status.reason,
            "switched off after 8 faults; the last: begin_phase threw an exception: phase; switched off");
}

TEST_F(Faults, WhatIsThrownUnderAnAllocatorsLockIsReportedAfterwards) {
  options_.plugins.push_back({"thrower", {}, ""});
  emit_too();
  Session& session = open();
  session.begin_run();
  const std::string during = log_of([&] { allocate(1); });
  EXPECT_EQ(during, "");
  EXPECT_EQ(status_of("thrower").faults, 0u);
  const std::string afterwards = log_of([&] { session.begin_phase(PhaseKind::kForward, "forward"); });
  EXPECT_NE(afterwards.find("[thrower] PLUGIN_MISBEHAVING: on_memory threw"), std::string::npos)
      << afterwards;
  EXPECT_EQ(status_of("thrower").faults, 2u);
}

TEST_F(Faults, AnExceptionThatCrossesTheAbiStopsAtTheHost) {
  options_.plugins.push_back({"raw_thrower", {}, ""});
  Session& session = open();
  session.begin_run();
  for (std::uint64_t step = 0; step < 20; ++step) {
    session.begin_step(step, 1);
    session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
    session.end_step({});
  }
  EXPECT_EQ(status_of("raw_thrower").faults, 8u) << "no further begin after the step edge";
  EXPECT_EQ(status_of("raw_thrower").status, "failed");
}

TEST_F(Faults, AnOptionThatWasNotDeclaredSoIsThePluginsFault) {
  options_.plugins.push_back({"optioned", {}, ""});
  const std::string log = log_of([&] { open(); });
  EXPECT_NE(log.find("[optioned] depth 4 mode fast"), std::string::npos) << log;
  EXPECT_NE(log.find("[optioned] PLUGIN_MISBEHAVING: asked for the integer option 'mode'"), std::string::npos)
      << log;
  EXPECT_EQ(status_of("optioned").faults, 1u);
}

TEST_F(Faults, CheckModeNamesWhatTheTrainerDidWrong) {
  options_.check = true;
  emit_too();
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  const std::string log = log_of([&] {
    session.end_phase(9);
    session.end_module(9);
    end_op(9);
    session.begin_step(1, 1);
    session.begin_run();
  });
  for (const char* part :
       {"HOST_MISBEHAVING: end_phase(9): it is not open", "HOST_MISBEHAVING: end_module",
        "HOST_MISBEHAVING: op_end", "HOST_MISBEHAVING: begin_step(1): step 0 has not ended",
        "HOST_MISBEHAVING: begin_run: the run has already begun"}) {
    EXPECT_NE(log.find(part), std::string::npos) << part << " is not in: " << log;
  }
}

TEST_F(Faults, WithoutCheckModeNothingIsLogged) {
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  EXPECT_EQ(log_of([&] { session.end_phase(9); }), "");
}

TEST_F(Faults, APluginThatFailsInTheRunsBeginIsNotOk) {
  options_.plugins.push_back({"begin_fails", {}, ""});
  Session& session = open();
  const std::string log = log_of([&] {
    session.begin_run();
    session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
    session.end_run(RunEnd::kDone);
  });
  EXPECT_EQ(log,
            "strata: error: [begin_fails] failed, and the run continues without it: the device is gone\n"
            "strata: info: [begin_fails] let go\n");
  EXPECT_EQ(status_of("begin_fails").status, "failed");
  EXPECT_EQ(status_of("begin_fails").reason, "the device is gone");
}

class ThrowsAtTheEnd : public Faults, public testing::WithParamInterface<const char*> {};

TEST_P(ThrowsAtTheEnd, IsSaidAndTheOthersAreDestroyed) {
  const std::string function = GetParam();
  const std::string id = "throws_in_" + function;
  const RunFolder folder;
  options_.directory = folder.path();
  listen("recording_whole");
  options_.plugins.push_back({id, {}, ""});
  listen("recording_a");
  Session& session = open();
  session.begin_run();
  const std::string log = log_of([&] { session.end_run(RunEnd::kDone); });
  EXPECT_EQ(log, "strata: error: [" + id + "] PLUGIN_MISBEHAVING: " + function +
                     " threw an exception across the ABI\n");
  EXPECT_EQ(status_of(id).faults, 1u);
  EXPECT_EQ(sink_.texts("recording_whole").back(), "destroy");
  EXPECT_EQ(sink_.texts("recording_a").back(), "destroy");
  const auto manifest = nlohmann::json::parse(std::ifstream(folder.path() / "manifest.json"));
  EXPECT_EQ(manifest.at("end"), "done");
  EXPECT_EQ(manifest.at("plugins").at(1).at("faults"), 1);
}

INSTANTIATE_TEST_SUITE_P(EachWay, ThrowsAtTheEnd, testing::Values("destroy", "deinit"),
                         [](const auto& each) { return std::string(each.param); });

TEST_F(Faults, TheEnvironmentSwitchesCheckModeOn) {
  setenv("STRATA_CHECK", "1", 1);
  open();
  unsetenv("STRATA_CHECK");
  const std::string log = log_of([&] { session_->begin_step(0, 1); });
  EXPECT_NE(log.find("HOST_MISBEHAVING: begin_step: the run has not begun"), std::string::npos) << log;
}

}  // namespace
}  // namespace strata
