// SPDX-License-Identifier: Apache-2.0
// The rows that the session itself writes to the run store.
#include <unistd.h>

#include <array>

#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Recorded : public SessionTest {
 protected:
  Recorded() { options_.directory = folder_.path(); }
  std::vector<std::string> rows(const std::string& sql) {
    return query(folder_.store(static_cast<std::uint32_t>(getpid())), sql);
  }
  using Rows = std::vector<std::string>;

  RunFolder folder_;
};

TEST_F(Recorded, StepsPhasesModulesAndTensorsAreThere) {
  options_.name = "sample";
  options_.schedule = {.wait = 0, .warmup = 1, .active = 1};
  Session& session = open();
  EXPECT_TRUE(session.wants_tensors());
  EXPECT_FALSE(session.plugins_want_modules()) << "the store alone";
  session.begin_run();
  const std::array<std::int64_t, 2> sizes = {4, 512};
  {
    const Phase setup(session, PhaseKind::kSetup, "setup");
    session.tensor({.role = TensorRole::kParameter,
                    .name = "embedding.weight",
                    .dtype = "float32",
                    .address = 0xffff800000001000u,
                    .storage_bytes = 8192,
                    .sizes = sizes});
  }
  session.ready();
  for (std::uint64_t step = 0; step < 2; ++step) {
    session.begin_step(step, 2);
    session.begin_micro_batch(1);
    {
      const Phase forward(session, PhaseKind::kForward, "forward");
      const ModuleRange root(session, "", "Transformer");
      const ModuleRange layer(session, "layers.0", "Block");
    }
    session.end_step({.optimizer_ran = true, .loss = 0.5 + static_cast<double>(step), .tokens = 16});
  }
  session.end_run(RunEnd::kDone);

  EXPECT_EQ(rows("SELECT step, schedule, micro_batches, optimizer_ran, loss, tokens FROM step"),
            (Rows{"0|1|2|1|0.5|16", "1|2|2|1|1.5|16"}));
  EXPECT_EQ(
      rows("SELECT phase, parent, kind, name, step, micro_batch, end_sequence > begin_sequence FROM phase"),
      (Rows{"1|0|1|setup|-1|0|1", "2|0|4|forward|0|1|1", "3|0|4|forward|1|1|1"}));
  EXPECT_EQ(
      rows("SELECT module, parent, direction, path, type, phase, end_sequence > begin_sequence FROM module"),
      (Rows{"1|0|0||Transformer|2|1", "2|1|0|layers.0|Block|2|1", "3|0|0||Transformer|3|1",
            "4|3|0|layers.0|Block|3|1"}));
  EXPECT_EQ(rows("SELECT role, name, dtype, shape, device_type, storage_bytes, printf('%x', address), phase "
                 "FROM tensor"),
            Rows{"1|embedding.weight|float32|4x512|1|8192|ffff800000001000|1"});
  EXPECT_EQ(
      rows("SELECT key, value FROM meta WHERE key IN ('name', 'first_step', 'last_step', 'state', 'end') "
           "ORDER BY key"),
      (Rows{"end|done", "first_step|1", "last_step|1", "name|sample", "state|closed"}));
  EXPECT_EQ(rows("SELECT count(*) FROM host_run_begin JOIN host_run_ready JOIN host_run_end"), Rows{"1"});
  EXPECT_EQ(rows("SELECT reason FROM host_run_end"), Rows{"0"});
  EXPECT_EQ(rows("SELECT count(*) FROM host_clock"), Rows{"4"}) << "begin, both window edges, end";
}

TEST_F(Recorded, AnEpochBeginsWithItsFirstStep) {
  Session& session = open();
  session.begin_run();
  for (std::uint64_t step = 0; step < 5; ++step) {
    const Step recorded(session, step, 1, step < 4 ? std::optional(step / 2) : std::nullopt);
  }
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(
      rows("SELECT e.epoch, e.step, e.sequence = s.begin_sequence FROM host_epoch AS e JOIN step AS s USING "
           "(step)"),
      (Rows{"0|0|1", "1|2|1"}));
}

TEST_F(Recorded, WhatNeverEndedIsNull) {
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  session.end_step({});
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(rows("SELECT loss IS NULL, tokens FROM step"), Rows{"1|0"});
}

TEST_F(Recorded, SequencesOrderAllTables) {
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  session.end_phase(session.begin_phase(PhaseKind::kForward, "forward"));
  session.end_step({});
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(rows("SELECT moment FROM (SELECT 'run' AS moment, sequence FROM host_run_begin"
                 " UNION SELECT 'step', sequence FROM host_step_begin UNION SELECT 'phase', sequence FROM "
                 "host_phase_begin"
                 " UNION SELECT 'end phase', sequence FROM host_phase_end"
                 " UNION SELECT 'end step', sequence FROM host_step_end"
                 " UNION SELECT 'end run', sequence FROM host_run_end) ORDER BY sequence"),
            (Rows{"run", "step", "phase", "end phase", "end step", "end run"}));
}

}  // namespace
}  // namespace strata
