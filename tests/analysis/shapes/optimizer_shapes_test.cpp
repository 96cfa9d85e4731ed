// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"
#include "tests/analysis/shapes/shape_run.hpp"

namespace strata::analysis {
namespace {

using testing::has;
using testing::only;
using testing::run_of;
using testing::RunBuilder;

// An optimizer's step over six parameters with gradients and state.
Facts optimizer_of(const std::function<void(RunBuilder&)>& body, bool with_state = true) {
  RunBuilder run;
  std::vector<std::uint64_t> weights;
  run.phase(STRATA_PHASE_SETUP, "setup", [&] {
    for (int parameter = 0; parameter < 6; ++parameter) weights.push_back(run.allocate(100));
    for (int state = 0; with_state && state < 6; ++state)
      run.tensor(STRATA_TENSOR_OPTIMIZER_STATE, "exp_avg", run.allocate(100));
  });
  for (const std::uint64_t weight : weights) run.tensor(STRATA_TENSOR_PARAMETER, "weight", weight);
  for (int step = 0; step < 2; ++step) {
    run.step(step, STRATA_STEP_ACTIVE, [&] {
      std::vector<std::uint64_t> gradients;
      run.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
        for (int parameter = 0; parameter < 6; ++parameter) gradients.push_back(run.allocate(100));
      });
      for (const std::uint64_t gradient : gradients) run.tensor(STRATA_TENSOR_GRADIENT, "weight", gradient);
      run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] { body(run); });
      run.phase(STRATA_PHASE_ZERO_GRAD, "zero_grad", [&] {
        for (const std::uint64_t gradient : gradients) run.free(gradient);
      });
    });
  }
  return analyse(run.finish());
}

// `count` square roots of 50 bytes that are alive together, made by `ops` in turn.
void take_roots(RunBuilder& run, int count, const std::vector<std::string_view>& ops) {
  std::vector<std::uint64_t> roots;
  for (int root = 0; root < count; ++root)
    run.op(ops[static_cast<std::size_t>(root) % ops.size()], [&] { roots.push_back(run.allocate(50)); });
  for (const std::uint64_t root : roots) run.free(root);
}

Facts roots_of(int count, const std::vector<std::string_view>& ops = {"aten::_foreach_sqrt"}) {
  return optimizer_of([&](RunBuilder& run) { take_roots(run, count, ops); });
}

TEST(OptimizerPlateau, IsOfHalfOfAllParameters) {
  const Shape plateau = only(roots_of(3), ShapeKind::kOptimizerPlateau);
  EXPECT_EQ(plateau.bytes, 150U);
  EXPECT_EQ(plateau.level_bytes, 1800U + 150U);
  EXPECT_FALSE(has(roots_of(2), ShapeKind::kOptimizerPlateau));
}

TEST(OptimizerPlateau, IsOfOneOperator) {
  EXPECT_FALSE(has(roots_of(4, {"aten::sqrt", "aten::div"}), ShapeKind::kOptimizerPlateau));
}

TEST(OptimizerPlateau, IsNotOfOneParameterAfterTheOther) {
  const Facts facts = optimizer_of([](RunBuilder& run) {
    for (int parameter = 0; parameter < 6; ++parameter) take_roots(run, 1, {"aten::sqrt"});
  });
  EXPECT_FALSE(has(facts, ShapeKind::kOptimizerPlateau));
  EXPECT_FALSE(has(facts, ShapeKind::kFlatOptimizer));
}

TEST(FlatOptimizer, HoldsAllAndAddsNothing) {
  const Shape flat = only(optimizer_of([](RunBuilder&) {}), ShapeKind::kFlatOptimizer);
  EXPECT_EQ(flat.bytes, 1800U);
  EXPECT_EQ(flat.level_bytes, 1800U);
}

TEST(FlatOptimizer, RisesByLessThanAThousandth) {
  EXPECT_TRUE(
      has(optimizer_of([](RunBuilder& run) { run.free(run.allocate(1)); }), ShapeKind::kFlatOptimizer));
  EXPECT_FALSE(
      has(optimizer_of([](RunBuilder& run) { run.free(run.allocate(2)); }), ShapeKind::kFlatOptimizer));
}

TEST(FlatOptimizer, HasState) {
  EXPECT_FALSE(has(optimizer_of([](RunBuilder&) {}, false), ShapeKind::kFlatOptimizer));
}

Facts division_of(std::string_view op, bool with_root, bool higher_before) {
  return optimizer_of([=](RunBuilder& run) {
    if (higher_before) run.op("aten::mul", [&] { run.free(run.allocate(400)); });
    std::uint64_t root = 0;
    if (with_root) run.op("aten::sqrt", [&] { root = run.allocate(100); });
    run.op(op, [&] { run.free(run.allocate(100)); });
    if (with_root) run.free(root);
  });
}

TEST(DivisionFlagpole, StandsOnARoot) {
  const Shape pole = only(division_of("aten::div", true, false), ShapeKind::kDivisionFlagpole);
  EXPECT_EQ(pole.bytes, 100U);
  EXPECT_EQ(pole.level_bytes, 2000U);
  EXPECT_TRUE(has(division_of("aten::_foreach_div", true, false), ShapeKind::kDivisionFlagpole));
}

TEST(DivisionFlagpole, IsTheHighestPlace) {
  EXPECT_FALSE(has(division_of("aten::div", true, true), ShapeKind::kDivisionFlagpole));
}

TEST(DivisionFlagpole, NeedsARootAndADivision) {
  EXPECT_FALSE(has(division_of("aten::div", false, false), ShapeKind::kDivisionFlagpole));
  EXPECT_FALSE(has(division_of("aten::add", true, false), ShapeKind::kDivisionFlagpole));
  EXPECT_FALSE(has(division_of("aten::subdivide", true, false), ShapeKind::kDivisionFlagpole));
}

Facts decomposition_of(std::string_view op, bool with_projector) {
  return optimizer_of([=](RunBuilder& run) {
    std::uint64_t factor = 0, projector = 0;
    run.op(op, [&] { factor = run.allocate(200); });
    run.op("aten::clone", [&] { projector = run.allocate(30); });
    if (with_projector) run.tensor(STRATA_TENSOR_PROJECTOR, "weight.projector", projector);
    run.free(factor);
    run.free(projector);
  });
}

TEST(ProjectorSpike, IsOfADecompositionForAProjector) {
  const Shape spike = only(decomposition_of("aten::_linalg_svd", true), ShapeKind::kProjectorSpike);
  EXPECT_EQ(spike.bytes, 230U);
  EXPECT_EQ(spike.level_bytes, 2030U);
  EXPECT_TRUE(has(decomposition_of("aten::linalg_qr", true), ShapeKind::kProjectorSpike));
  EXPECT_FALSE(has(decomposition_of("aten::_linalg_svd", false), ShapeKind::kProjectorSpike));
  EXPECT_FALSE(has(decomposition_of("aten::mm", true), ShapeKind::kProjectorSpike));
}

TEST(ZeroGradCliff, IsWhatDiesInThePhase) {
  const Shape cliff = only(roots_of(1), ShapeKind::kZeroGradCliff);
  EXPECT_EQ(cliff.bytes, 600U);
  EXPECT_EQ(cliff.count, 2U);
  const Facts kept =
      run_of({.backward = [](RunBuilder& run) { run.allocate(1000); }, .zero_grad = [](RunBuilder&) {}});
  EXPECT_FALSE(has(kept, ShapeKind::kZeroGradCliff));
}

}  // namespace
}  // namespace strata::analysis
