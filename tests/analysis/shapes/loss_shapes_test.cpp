// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "strata/ext/op.h"
#include "strata/ext/tensor.h"
#include "tests/analysis/shapes/shape_run.hpp"

namespace strata::analysis {
namespace {

using testing::has;
using testing::only;
using testing::run_of;
using testing::RunBuilder;

struct LossScript {
  std::uint64_t logits_bytes = 400;
  std::uint64_t softmax_bytes = 400;
  std::string_view softmax = "aten::_log_softmax";
  bool logits_go_first = false;
  std::string_view backward_module = "head";  // the module of the first gradient; empty: none
  std::uint64_t head_gradient_bytes = 1000;
};

// As in cross_entropy: the softmax is kept, and backward makes two more blocks.
Facts loss_of(const LossScript& script) {
  std::uint64_t logits = 0, softmax = 0;
  return run_of(
      {.forward =
           [&](RunBuilder& run) {
             run.module("head",
                        [&] { run.op("aten::mm", [&] { logits = run.allocate(script.logits_bytes); }); });
             run.tensor(STRATA_TENSOR_LOGITS, "logits", logits);
           },
       .loss =
           [&](RunBuilder& run) {
             if (script.logits_go_first) run.free(logits);
             run.op(script.softmax, [&] { softmax = run.allocate(script.softmax_bytes); });
             if (!script.logits_go_first) run.free(logits);
           },
       .backward =
           [&](RunBuilder& run) {
             std::uint64_t first = 0, second = 0, weight = 0;
             run.op("aten::nll_loss_backward", [&] { first = run.allocate(script.logits_bytes); });
             run.op("aten::_log_softmax_backward_data", [&] { second = run.allocate(script.logits_bytes); });
             run.free(first);
             run.free(softmax);
             if (!script.backward_module.empty())
               run.module(script.backward_module, [&] {
                 run.op("aten::mm", [&] { weight = run.allocate(script.head_gradient_bytes); });
               });
             run.free(second);
             if (weight == 0) return;
             run.tensor(STRATA_TENSOR_GRADIENT, "head.weight", weight);
             run.free(weight);
           }},
      2, 1000);
}

TEST(LossShapes, AllOfThem) {
  const Facts facts = loss_of({});
  const Shape slab = only(facts, ShapeKind::kLogitsSlab);
  EXPECT_EQ(slab.bytes, 400U);
  EXPECT_EQ(slab.layer, "head");
  const Shape softmax = only(facts, ShapeKind::kSoftmaxSpike);
  EXPECT_EQ(softmax.bytes, 400U);
  EXPECT_EQ(softmax.level_bytes, 1800U);
  const Shape start = only(facts, ShapeKind::kBackwardStartSpike);
  EXPECT_EQ(start.bytes, 800U);
  EXPECT_EQ(start.level_bytes, 2200U);
  const Shape head = only(facts, ShapeKind::kHeadGradient);
  EXPECT_EQ(head.bytes, 1000U);
  EXPECT_EQ(head.layer, "head");
  EXPECT_EQ(facts.peak.allocated_bytes, 2400U);
}

TEST(LossShapes, TheCliffIsOfTheLossBlocks) {
  const Shape cliff = only(loss_of({.head_gradient_bytes = 100}), ShapeKind::kLogitsCliff);
  EXPECT_EQ(cliff.bytes, 1100U);  // three of 400, minus the head's gradient
  EXPECT_EQ(cliff.level_bytes, 1100U + 550U);
}

TEST(LossShapes, SmallLogitsAreNoSlab) {
  const Facts facts = loss_of({.logits_bytes = 100, .softmax_bytes = 100});  // out of more than 2,000
  for (const ShapeKind kind : {ShapeKind::kLogitsSlab, ShapeKind::kSoftmaxSpike,
                               ShapeKind::kBackwardStartSpike, ShapeKind::kLogitsCliff})
    EXPECT_FALSE(has(facts, kind)) << name_of(kind).id;
}

TEST(LossShapes, NoSpikeWhereTheLogitsAreGone) {
  EXPECT_FALSE(has(loss_of({.logits_go_first = true}), ShapeKind::kSoftmaxSpike));
}

TEST(LossShapes, NoSpikeWithoutASoftmax) {
  EXPECT_FALSE(has(loss_of({.softmax = "aten::mul"}), ShapeKind::kSoftmaxSpike));
  EXPECT_FALSE(has(loss_of({.softmax_bytes = 199}), ShapeKind::kSoftmaxSpike));
}

// Without modules the end of the loss's backward is unknown.
TEST(LossShapes, NoStartWithoutModulesInBackward) {
  const Facts facts = loss_of({.backward_module = ""});
  EXPECT_FALSE(has(facts, ShapeKind::kBackwardStartSpike));
  EXPECT_FALSE(has(facts, ShapeKind::kLogitsCliff));
  EXPECT_FALSE(has(facts, ShapeKind::kHeadGradient));
}

struct EmbeddingScript {
  std::string_view looked_up = "aten::index_select", filled = "aten::zeros";
  bool tied = false;
};

Facts embedding_of(const EmbeddingScript& script) {
  std::uint64_t rows = 0, logits = 0;
  return run_of(
      {.forward =
           [&](RunBuilder& run) {
             run.module("embed", [&] { run.op(script.looked_up, [&] { rows = run.allocate(64); }); });
             run.module("head", [&] { run.op("aten::mm", [&] { logits = run.allocate(400); }); });
             run.tensor(STRATA_TENSOR_LOGITS, "logits", logits);
           },
       .backward =
           [&](RunBuilder& run) {
             std::uint64_t of_head = 0, hidden = 0, filled = 0, sum = 0;
             // As large as a position embedding's gradient: not the head's.
             run.module("head", [&] { run.op("aten::mm", [&] { hidden = run.allocate(64); }); });
             if (script.tied)
               run.module("head", [&] { run.op("aten::mm", [&] { of_head = run.allocate(700); }); });
             run.free(logits);
             run.module("layers.0", [&] { run.free(run.allocate(32)); });
             run.module("embed", [&] {
               run.op(script.filled, [&] { filled = run.allocate(700); });
               if (script.tied) run.op("aten::add", [&] { sum = run.allocate(700); });
             });
             run.free(hidden);
             run.free(rows);
             if (script.tied) {
               run.free(of_head);
               run.free(filled);
             }
             run.tensor(STRATA_TENSOR_GRADIENT, "embed.weight", script.tied ? sum : filled);
             run.free(script.tied ? sum : filled);
           }},
      2, 1000);
}

TEST(EmbeddingGradient, IsOfTheModuleThatLookedRowsUp) {
  const Facts facts = embedding_of({});
  const Shape gradient = only(facts, ShapeKind::kEmbeddingGradient);
  EXPECT_EQ(gradient.bytes, 700U);
  EXPECT_EQ(gradient.layer, "embed");
  EXPECT_FALSE(has(facts, ShapeKind::kHeadGradient));
}

TEST(EmbeddingGradient, IsNotOfALinearModule) {
  EXPECT_FALSE(has(embedding_of({.looked_up = "aten::mm"}), ShapeKind::kEmbeddingGradient));
  EXPECT_FALSE(has(embedding_of({.filled = "aten::mm"}), ShapeKind::kEmbeddingGradient));
}

TEST(EmbeddingGradient, OfATiedHeadComesTwice) {
  const Facts facts = embedding_of({.tied = true});
  EXPECT_EQ(only(facts, ShapeKind::kEmbeddingGradient).bytes, 700U);
  const Shape head = only(facts, ShapeKind::kHeadGradient);
  EXPECT_EQ(head.bytes, 700U);
  EXPECT_EQ(head.layer, "head");
  EXPECT_LT(head.at_ns, only(facts, ShapeKind::kEmbeddingGradient).at_ns);
}

}  // namespace
}  // namespace strata::analysis
