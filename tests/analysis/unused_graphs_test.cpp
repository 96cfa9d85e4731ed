// SPDX-License-Identifier: Apache-2.0
// Graphs that no backward uses, in hand-made trainings of a student: each layer keeps 100 bytes, and the
// output is 10.
#include "host/analysis/peak/unused_graphs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/peak/findings.hpp"
#include "host/analysis/shapes/find_shapes.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;
using Addresses = std::vector<std::uint64_t>;

constexpr int kLayers = 4;
constexpr std::uint64_t kGraphBytes = kLayers * 100 + 10;

// In order of birth, the output last. With an empty `model`, no modules are recorded.
Addresses forward_of(RunBuilder& run, const std::string& model) {
  Addresses made;
  const auto make = [&](const std::string& layer, const char* op, std::uint64_t bytes) {
    const auto compute = [&] { run.op(op, [&] { made.push_back(run.allocate(bytes)); }); };
    model.empty() ? compute() : run.module(model + layer, compute);
  };
  for (int layer = 0; layer < kLayers; ++layer) make("." + std::to_string(layer), "aten::mm", 100);
  make(".head", "aten::addmm", 10);
  return made;
}

void go_last_first(RunBuilder& run, const Addresses& made) {
  for (auto address = made.rbegin(); address != made.rend(); ++address) run.free(*address);
}

class UnusedGraphsTest : public ::testing::Test {
 protected:
  using Part = std::function<void()>;

  void parameter(const std::string& name) { run_.tensor(STRATA_TENSOR_PARAMETER, name, run_.allocate(8)); }

  // A training step of the student; `before` runs at the start of forward, `also` in backward.
  void step(
      const Part& before, const Part& also = [] {}) {
    run_.step(steps_++, STRATA_STEP_ACTIVE, [&] {
      Addresses saved;
      run_.phase(STRATA_PHASE_FORWARD, "forward", [&] {
        before();
        saved = forward_of(run_, student_);
      });
      run_.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
        go_last_first(run_, saved);
        gradient("student.0.weight");
        also();
      });
      run_.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] { run_.free(run_.allocate(8)); });
    });
  }

  void gradient(const std::string& of) {
    const std::uint64_t address = run_.allocate(8);
    run_.tensor(STRATA_TENSOR_GRADIENT, of, address);
    run_.free(address);
  }

  // A variable's content is freed when the next one exists.
  void next_output_of(const std::string& model) {
    const Addresses next = forward_of(run_, model);
    let_go();
    held_ = next;
  }

  // The output is freed after what its graph holds.
  void let_go() {
    if (held_.empty()) return;
    const std::uint64_t output = held_.back();
    held_.pop_back();
    go_last_first(run_, held_);
    run_.free(output);
    held_.clear();
  }

  const Facts& facts(RunEnd end = RunEnd::kDone) {
    facts_ = analyse(run_.finish(end));
    facts_.is_configured = false;
    return facts_;
  }

  static UnusedGraphs found_in(const Facts& facts) { return UnusedGraphs(facts, KeptFromEarlier(facts)); }

  RunBuilder run_;
  Addresses held_;
  std::string student_ = "student";
  std::int64_t steps_ = 0;

 private:
  Facts facts_;
};

TEST_F(UnusedGraphsTest, AreOfAnEvaluationThatNoBackwardFollows) {
  parameter("student.0.weight");
  for (int each = 0; each < 3; ++each) step([&] { go_last_first(run_, forward_of(run_, "student")); });
  const UnusedGraphs found = found_in(facts());
  ASSERT_EQ(found.graphs().size(), 3U);
  for (const UnusedGraph& graph : found.graphs()) {
    EXPECT_TRUE(graph.is_of_evaluation);
    EXPECT_EQ(graph.module, "student");
    EXPECT_EQ(graph.blocks.size(), kLayers + 1U);
  }
}

TEST_F(UnusedGraphsTest, HaveTheBytesOfTheirBlocks) {
  parameter("student.0.weight");
  std::uint64_t in_forward = 0, behind = 0;
  step([&] {
    const Addresses made = forward_of(run_, "student");
    in_forward = run_.sequence();
    run_.free(run_.allocate(1));
    behind = run_.sequence();
    go_last_first(run_, made);
  });
  step([] {});
  const UnusedGraphs found = found_in(facts());
  EXPECT_EQ(found.bytes_at(in_forward), kGraphBytes);
  EXPECT_EQ(found.bytes_at(behind), kGraphBytes);
  EXPECT_EQ(found.bytes_at(run_.sequence()), 0U);
}

TEST_F(UnusedGraphsTest, AreNoVariablesOfAFunctionThatReturns) {
  parameter("student.0.weight");
  for (int each = 0; each < 3; ++each)
    step([&] {
      for (const std::uint64_t address : forward_of(run_, "student")) run_.free(address);
    });
  EXPECT_TRUE(found_in(facts()).graphs().empty());
}

// Without a graph, most results of a forward are freed immediately; a tuple of outputs is freed last first.
TEST_F(UnusedGraphsTest, AreNoHiddenStates) {
  parameter("student.0.weight");
  for (int each = 0; each < 3; ++each)
    step([&] {
      Addresses states;
      for (int layer = 0; layer < kLayers; ++layer)
        run_.module("student." + std::to_string(layer), [&] {
          run_.op("aten::tanh", [&] { run_.free(run_.allocate(400)); });
          run_.op("aten::add", [&] { states.push_back(run_.allocate(100)); });
        });
      go_last_first(run_, states);
    });
  EXPECT_TRUE(found_in(facts()).graphs().empty());
}

TEST_F(UnusedGraphsTest, AreOfATeacherWhoseOutputAVariableHolds) {
  parameter("student.0.weight");
  parameter("teacher.0.weight");
  for (int each = 0; each < 4; ++each) step([&] { next_output_of("teacher"); });
  let_go();
  const Facts& facts = this->facts();
  const UnusedGraphs found = found_in(facts);
  ASSERT_EQ(found.graphs().size(), 4U);
  for (const UnusedGraph& graph : found.graphs()) {
    EXPECT_FALSE(graph.is_of_evaluation);
    EXPECT_EQ(graph.module, "teacher");
  }
  const std::vector<Finding> said = findings_at(facts, facts.peak, 1);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0].kind, FindingKind::kUnusedGraph);
  EXPECT_EQ(said[0].module, "teacher");
  EXPECT_FALSE(std::get<UnusedGraphFinding>(said[0].detail).has_no_step);
  EXPECT_EQ(said[0].bytes, kGraphBytes) << "the step's own: the one before has gone by then";
  for (const Finding& finding : said)
    EXPECT_NE(finding.kind, FindingKind::kHeldByProgram) << "no variable of its own";
}

TEST_F(UnusedGraphsTest, AreToldWithoutModulesWhereOneModelAloneGetsNoGradient) {
  parameter("student.0.weight");
  parameter("teacher.0.weight");
  student_.clear();
  for (int each = 0; each < 4; ++each) step([&] { next_output_of(""); });
  let_go();
  const UnusedGraphs found = found_in(facts());
  ASSERT_EQ(found.graphs().size(), 4U);
  EXPECT_EQ(found.graphs()[0].module, "teacher");
}

// As in a retained graph of the student, next to an averaged copy of its weights.
TEST_F(UnusedGraphsTest, AreNoneWhereNoOtherGraphWasTakenDown) {
  parameter("student.0.weight");
  parameter("average.0.weight");
  for (int each = 0; each < 4; ++each)
    run_.step(steps_++, STRATA_STEP_ACTIVE, [&] {
      run_.phase(STRATA_PHASE_FORWARD, "forward", [&] { next_output_of(""); });
      run_.phase(STRATA_PHASE_BACKWARD, "backward", [&] { gradient("student.0.weight"); });
      run_.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] { run_.free(run_.allocate(8)); });
    });
  let_go();
  EXPECT_TRUE(found_in(facts()).graphs().empty());
}

// As in a list of heads; the operator that joins them reads none of them in backward.
TEST_F(UnusedGraphsTest, AreNoListOfOutputsOfATrainedModel) {
  parameter("student.0.weight");
  for (int each = 0; each < 4; ++each)
    step([&] {
      Addresses outputs;
      for (int head = 0; head < 5; ++head)
        run_.module("student.heads." + std::to_string(head),
                    [&] { run_.op("aten::addmm", [&] { outputs.push_back(run_.allocate(100)); }); });
      go_last_first(run_, outputs);
    });
  EXPECT_TRUE(found_in(facts()).graphs().empty());
}

TEST_F(UnusedGraphsTest, AreNoneThatABackwardReadAndKept) {
  parameter("student.0.weight");
  parameter("teacher.0.weight");
  for (int each = 0; each < 4; ++each)
    step([&] { next_output_of("teacher"); }, [&] { gradient("teacher.0.weight"); });
  let_go();
  EXPECT_TRUE(found_in(facts()).graphs().empty());
}

// A teacher whose output enters the loss: its gradients are made, but never used or cleared.
class UntakenGradientsTest : public UnusedGraphsTest {
 protected:
  enum class Gradients : std::uint8_t { kStay, kAreCleared };

  Facts trained(Gradients gradients, bool teacher_comes_first) {
    const std::string weights = ".0.weight";
    for (const char* model : {"student", "teacher"}) parameter(model + weights);
    run_.tensor(STRATA_TENSOR_OPTIMIZER_STATE, "student.0.weight.exp_avg", run_.allocate(8));
    std::uint64_t of_teacher = 0;
    for (int each = 0; each < 4; ++each) {
      run_.step(steps_++, STRATA_STEP_ACTIVE, [&] {
        Addresses saved;
        run_.phase(STRATA_PHASE_FORWARD, "forward", [&] {
          saved = forward_of(run_, teacher_comes_first ? "teacher" : "student");
          std::ranges::copy(forward_of(run_, teacher_comes_first ? "student" : "teacher"),
                            std::back_inserter(saved));
          if (each == 0) run_.op("aten::mean", [&] { run_.allocate(kGradientBytes); });  // in a variable
        });
        run_.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
          gradient("student.0.weight");
          if (of_teacher == 0) {
            of_teacher = run_.allocate(kGradientBytes);
            run_.tensor(STRATA_TENSOR_GRADIENT, "teacher.0.weight", of_teacher);
          }
          go_last_first(run_, saved);
        });
        run_.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] { run_.free(run_.allocate(8)); });
        if (gradients == Gradients::kAreCleared) run_.free(std::exchange(of_teacher, 0));
      });
    }
    return facts();
  }

  static constexpr std::uint64_t kGradientBytes = 4000;
};

TEST_F(UntakenGradientsTest, AreFoundWithTheirGraph) {
  const Facts facts = trained(Gradients::kStay, true);
  const UnusedGraphs found = found_in(facts);
  ASSERT_EQ(found.graphs().size(), 5U) << "of four forwards, and the gradients";
  for (const UnusedGraph& graph : found.graphs()) EXPECT_EQ(graph.module, "teacher");
  EXPECT_EQ(found.graphs()[0].why, WhyUnused::kNoStep);
  EXPECT_TRUE(found.graphs()[4].are_gradients);
  EXPECT_EQ(found.bytes_at(facts.steps[0].end_sequence), kGradientBytes);
  EXPECT_EQ(found.largest_at(facts.steps[0].end_sequence), nullptr);
  EXPECT_TRUE(std::ranges::any_of(find_shapes(facts),
                                  [](const Shape& shape) { return shape.kind == ShapeKind::kUnusedGraph; }));
  EXPECT_EQ(found.bytes_at(facts.steps[1].peak_sequence), kGradientBytes + kGraphBytes);
  Peak moment;
  moment.sequence = facts.steps[1].peak_sequence;
  const std::vector<Finding> said = findings_at(facts, moment, 1);
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said[0].kind, FindingKind::kUntakenGradients);
  EXPECT_EQ(said[0].bytes, kGradientBytes);
  EXPECT_EQ(said[0].module, "teacher");
  const auto graph = std::ranges::find(said, FindingKind::kUnusedGraph, &Finding::kind);
  ASSERT_NE(graph, said.end());
  EXPECT_EQ(graph->bytes, kGraphBytes);
}

TEST_F(UntakenGradientsTest, AreTakenWhereSomebodyClearsThem) {
  EXPECT_TRUE(found_in(trained(Gradients::kAreCleared, true)).graphs().empty())
      << "of an optimizer without state";
}

TEST_F(UntakenGradientsTest, MayBeOnTheWayToThoseThatATrainedModelNeeds) {
  EXPECT_TRUE(found_in(trained(Gradients::kStay, false)).graphs().empty());
}

TEST_F(UnusedGraphsTest, AreThereWhereMemoryRanOutInTheNextOne) {
  parameter("student.0.weight");
  parameter("teacher.0.weight");
  step([&] { next_output_of("teacher"); });
  run_.step(steps_, STRATA_STEP_ACTIVE, [&] {
    run_.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      forward_of(run_, "teacher");
      run_.fail(1000);
    });
  });
  const Facts facts = analyse(run_.finish(RunEnd::kOutOfMemory));
  ASSERT_EQ(facts.out_of_memory.size(), 1U);
  Facts of_program = facts;
  of_program.is_configured = false;
  const UnusedGraphs found = found_in(of_program);
  ASSERT_EQ(found.graphs().size(), 2U) << "of the step before, and in the making";
  EXPECT_EQ(found.bytes_at(facts.out_of_memory[0].held.sequence), 2 * kGraphBytes);
}

TEST_F(UnusedGraphsTest, AreNoneThatAFailureTookTheirBackwardFrom) {
  parameter("student.0.weight");
  step([] {});
  step([&] {
    const Addresses made = forward_of(run_, "student");
    run_.fail(1000);
    go_last_first(run_, made);
  });
  step([] {});
  EXPECT_TRUE(found_in(facts()).graphs().empty()) << "the program tried again";
}

TEST_F(UnusedGraphsTest, AreNoneThatAnExceptionTookTheirBackwardFrom) {
  parameter("student.0.weight");
  step([] {});
  run_.step(steps_, STRATA_STEP_ACTIVE, [&] {
    run_.phase(STRATA_PHASE_FORWARD, "forward", [&] { go_last_first(run_, forward_of(run_, "student")); });
  });
  EXPECT_TRUE(found_in(facts(RunEnd::kFailed)).graphs().empty());
}

TEST_F(UnusedGraphsTest, AreNoneOfATrainingOfOurs) {
  parameter("student.0.weight");
  for (int each = 0; each < 3; ++each) step([&] { go_last_first(run_, forward_of(run_, "student")); });
  Facts facts = this->facts();
  facts.is_configured = true;
  EXPECT_TRUE(found_in(facts).graphs().empty());
}

}  // namespace
}  // namespace strata::analysis
