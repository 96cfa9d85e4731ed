// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "host/analysis/shapes/layer_shares.hpp"
#include "strata/ext/module.h"
#include "strata/ext/phase.h"
#include "strata/ext/tensor.h"
#include "tests/analysis/shapes/shape_run.hpp"

namespace strata::analysis {
namespace {

using testing::has;
using testing::only;
using testing::run_of;
using testing::StepScript;

// Each layer leaves its share in forward; backward frees them from the last to the first.
Facts forward_of(const std::vector<std::uint64_t>& shares, std::string_view name = "layers") {
  std::vector<std::uint64_t> saved;
  return run_of({.forward =
                     [&, name](auto& run) {
                       for (std::size_t layer = 0; layer < shares.size(); ++layer)
                         run.module(fmt::format("{}.{}", name, layer),
                                    [&] { saved.push_back(run.allocate(shares[layer])); });
                     },
                 .backward =
                     [&](auto& run) {
                       for (; !saved.empty(); saved.pop_back()) run.free(saved.back());
                     }});
}

TEST(LayerShapes, ThreeEqualLayersAreATriangleInStripes) {
  const Facts facts = forward_of({500, 500, 500});
  const Shape triangle = only(facts, ShapeKind::kForwardTriangle);
  EXPECT_EQ(triangle.bytes, 1500U);
  EXPECT_EQ(triangle.level_bytes, 2500U);
  EXPECT_EQ(triangle.count, 2U);
  EXPECT_LE(triangle.begin_ns, triangle.at_ns);
  EXPECT_LE(triangle.at_ns, triangle.end_ns);
  const Shape stripes = only(facts, ShapeKind::kLayerStripes);
  EXPECT_EQ(stripes.bytes, 1500U);
  EXPECT_EQ(stripes.layer, "layers.0 to 2");
}

// Three layers; a backward, if there is one, frees the shares of `freed` of them.
Shape triangle_with(int freed) {
  StepScript script;
  std::vector<std::uint64_t> saved;
  script.forward = [&](auto& run) {
    for (int layer = 0; layer < 3; ++layer)
      run.module(fmt::format("layers.{}", layer), [&] { saved.push_back(run.allocate(500)); });
  };
  if (freed > 0)
    script.backward = [&](auto& run) {
      for (int layer = 0; layer < freed; ++layer)
        run.free(saved[saved.size() - 1 - static_cast<std::size_t>(layer)]);
    };
  return only(run_of(script), ShapeKind::kForwardTriangle);
}

TEST(LayerShapes, ATriangleComesDownInABackwardAlone) {
  const auto detail = [](int freed) { return std::get<ForwardTriangleDetail>(triangle_with(freed).detail); };
  EXPECT_EQ(detail(3).descent, ForwardTriangleDetail::Descent::kWhole);
  EXPECT_EQ(detail(2).descent, ForwardTriangleDetail::Descent::kPart);
  EXPECT_EQ(detail(2).freed_bytes, 1000U);
  EXPECT_EQ(detail(0).descent, ForwardTriangleDetail::Descent::kNoBackward);
  EXPECT_EQ(triangle_with(3).remedies, (std::vector{Remedy::kCheckpointBlocks, Remedy::kHalfBatch}));
  EXPECT_EQ(triangle_with(0).remedies, std::vector{Remedy::kForwardOnly});
}

TEST(LayerShapes, TwoLayersAreNeither) {
  const Facts facts = forward_of({500, 500});
  EXPECT_FALSE(has(facts, ShapeKind::kForwardTriangle));
  EXPECT_FALSE(has(facts, ShapeKind::kLayerStripes));
}

TEST(LayerShapes, LayersWithoutNumbersAreNeither) {
  const Facts facts = run_of({.forward = [](auto& run) {
    for (const char* name : {"first", "second", "third"}) run.module(name, [&] { run.allocate(500); });
  }});
  EXPECT_FALSE(has(facts, ShapeKind::kForwardTriangle));
}

TEST(LayerShapes, StripesAreEqualToAHundredth) {
  EXPECT_TRUE(has(forward_of({1000, 990, 1000}), ShapeKind::kLayerStripes));
  const Facts facts = forward_of({1000, 980, 1000});
  EXPECT_FALSE(has(facts, ShapeKind::kLayerStripes));
  EXPECT_TRUE(has(facts, ShapeKind::kForwardTriangle));
}

TEST(LayerShapes, StripesAreTheLongestRow) {
  EXPECT_EQ(only(forward_of({100, 500, 500, 500, 100, 100}), ShapeKind::kLayerStripes).layer,
            "layers.1 to 3");
}

TEST(LayerShapes, NameSiblingsByTheirNumbers) {
  EXPECT_EQ(name_of_layers("model.layers.0", "model.layers.23"), "model.layers.0 to 23");
  EXPECT_EQ(name_of_layers("layers.0", "layers.0"), "layers.0");
  EXPECT_EQ(name_of_layers("encoder.1", "decoder.4"), "encoder.1 to decoder.4");
  EXPECT_EQ(name_of_layers("0", "7"), "0 to 7");
}

TEST(LayerShapes, WhatForwardFreesIsNoTriangle) {
  const Facts facts = run_of({.forward = [](auto& run) {
    for (int layer = 0; layer < 5; ++layer)
      run.module(fmt::format("layers.{}", layer), [&] { run.free(run.allocate(500)); });
  }});
  EXPECT_FALSE(has(facts, ShapeKind::kForwardTriangle));
}

// Backward in which layers are recomputed; `kept` bytes of each stay until the end of backward.
Facts recomputed(int layers, std::uint64_t bytes, std::uint64_t kept) {
  return run_of({.forward = [](auto& run) { run.free(run.allocate(10)); },
                 .backward =
                     [=](auto& run) {
                       std::vector<std::uint64_t> left;
                       for (int layer = layers; layer-- > 0;) {
                         std::uint64_t gone = 0;
                         run.phase(STRATA_PHASE_FORWARD, "recompute", [&] {
                           run.module(
                               fmt::format("layers.{}", layer),
                               [&] {
                                 gone = run.allocate(bytes - kept);
                                 if (kept > 0) left.push_back(run.allocate(kept));
                               },
                               STRATA_MODULE_RECOMPUTE);
                         });
                         run.free(gone);
                       }
                       for (const std::uint64_t block : left) run.free(block);
                     }});
}

TEST(RecomputationWaves, AreOneForEachLayer) {
  const Shape waves = only(recomputed(3, 400, 0), ShapeKind::kRecomputationWaves);
  EXPECT_EQ(waves.bytes, 400U);
  EXPECT_EQ(waves.level_bytes, 1400U);
  EXPECT_EQ(std::get<RecomputationDetail>(waves.detail).layers, 3U);
}

TEST(RecomputationWaves, LastUntilTheirLastBlockIsGone) {
  // Backward frees each layer's first recomputed block last.
  const Facts facts = run_of({.forward = [](auto& run) { run.free(run.allocate(10)); },
                              .backward =
                                  [](auto& run) {
                                    for (int layer = 2; layer-- > 0;) {
                                      std::vector<std::uint64_t> computed;
                                      run.phase(STRATA_PHASE_FORWARD, "recompute", [&] {
                                        run.module(
                                            fmt::format("layers.{}", layer),
                                            [&] {
                                              for (int block = 0; block < 3; ++block)
                                                computed.push_back(run.allocate(100));
                                            },
                                            STRATA_MODULE_RECOMPUTE);
                                      });
                                      for (; !computed.empty(); computed.pop_back())
                                        run.free(computed.back());
                                    }
                                  }});
  const Shape waves = only(facts, ShapeKind::kRecomputationWaves);
  const auto last = std::ranges::max_element(facts.blocks, {}, [&](const Block& block) {
    return block.kind == BlockKind::kRecompute && block.birth_ns <= waves.end_ns ? block.death_ns : 0;
  });
  EXPECT_EQ(waves.end_ns, last->death_ns);
}

TEST(RecomputationWaves, OfOneLayerAreNone) {
  EXPECT_FALSE(has(recomputed(1, 400, 0), ShapeKind::kRecomputationWaves));
}

TEST(RecomputationWaves, ComeBackDown) {
  EXPECT_TRUE(has(recomputed(3, 400, 100), ShapeKind::kRecomputationWaves));
  EXPECT_FALSE(has(recomputed(3, 400, 101), ShapeKind::kRecomputationWaves));
}

TEST(RecomputationWaves, AreSeen) {
  EXPECT_FALSE(has(recomputed(3, 10, 0), ShapeKind::kRecomputationWaves));  // of 1,010
  EXPECT_TRUE(has(recomputed(3, 11, 0), ShapeKind::kRecomputationWaves));
}

Facts copied(int copies, bool all_at_once) {
  return run_of({.forward = [=](auto& run) {
    std::vector<std::uint64_t> kept;
    for (int copy = 0; copy < copies; ++copy) {
      kept.push_back(run.allocate(100));
      run.tensor(STRATA_TENSOR_AUTOCAST_COPY, "bfloat16", kept.back(), testing::kParameterAddress);
      if (all_at_once) continue;
      run.free(kept.back());
      kept.pop_back();
    }
    for (const std::uint64_t block : kept) run.free(block);
  }});
}

TEST(AutocastCopies, AreThreeAtOnce) {
  EXPECT_EQ(only(copied(3, true), ShapeKind::kAutocastCopies).bytes, 300U);
  EXPECT_FALSE(has(copied(2, true), ShapeKind::kAutocastCopies));
  EXPECT_FALSE(has(copied(9, false), ShapeKind::kAutocastCopies));
}

}  // namespace
}  // namespace strata::analysis
