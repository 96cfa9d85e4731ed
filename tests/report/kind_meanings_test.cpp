// SPDX-License-Identifier: Apache-2.0
#include "host/report/kind_meanings.hpp"

#include <gtest/gtest.h>

#include <set>

#include "host/analysis/attribution/rules.hpp"

namespace strata::report {
namespace {

using analysis::BlockKind;

// Common terms of model training, whose names explain them.
const std::set<BlockKind> kPlain{
    BlockKind::kAutocastCopy, BlockKind::kBucket,    BlockKind::kBuffer,    BlockKind::kCheckpointInput,
    BlockKind::kEma,          BlockKind::kGradient,  BlockKind::kInput,     BlockKind::kLogits,
    BlockKind::kLoss,         BlockKind::kOffloaded, BlockKind::kParameter, BlockKind::kPrefetch,
    BlockKind::kProjector,    BlockKind::kScaler,    BlockKind::kState,     BlockKind::kTarget};

TEST(KindMeanings, EveryKindIsPlainOrExplained) {
  for (const analysis::Rule& rule : analysis::standard_rules())
    EXPECT_NE(kPlain.contains(rule.kind), !kind_meanings({rule.kind}).empty()) << to_string(rule.kind);
}

TEST(KindMeanings, SaysThoseThatAreThere) {
  EXPECT_EQ(kind_meanings({BlockKind::kParameter, BlockKind::kLogits}), "");
  EXPECT_EQ(kind_meanings({BlockKind::kParameter, BlockKind::kFlowing, BlockKind::kSaved}),
            "saved: made in forward and kept for backward; flowing: gradients on their way through backward");
}

}  // namespace
}  // namespace strata::report
