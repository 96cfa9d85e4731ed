// SPDX-License-Identifier: Apache-2.0
#include "host/report/kind_meanings.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "host/analysis/attribution/rules.hpp"

namespace strata::report {
namespace {

// Words of people who train models; what they hold is in the name.
const std::set<std::string_view> kPlain{"autocast_copy", "bucket",    "buffer",    "checkpoint_input",
                                        "ema",           "gradient",  "input",     "logits",
                                        "loss",          "offloaded", "parameter", "prefetch",
                                        "projector",     "scaler",    "state",     "target"};

TEST(KindMeanings, EveryKindIsPlainOrExplained) {
  for (const analysis::Rule& rule : analysis::standard_rules())
    EXPECT_NE(kPlain.contains(rule.kind), !kind_meanings({rule.kind}).empty()) << rule.kind;
}

TEST(KindMeanings, SaysThoseThatAreThere) {
  EXPECT_EQ(kind_meanings({"parameter", "logits"}), "");
  EXPECT_EQ(kind_meanings({"parameter", "flowing", "saved"}),
            "saved: made in forward and kept for backward; flowing: gradients on their way through backward");
}

}  // namespace
}  // namespace strata::report
