// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/unrecorded_modules.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include "strata/ext/phase.h"

namespace strata::report {
namespace {

using analysis::Category;
using analysis::Facts;

Facts forward_of(const char* trainer) {
  Facts facts;
  facts.texts = {"", "layers.0"};
  facts.is_configured = false;
  facts.trainer = trainer;
  facts.blocks.emplace_back().category = Category::kActivation;
  facts.phases.emplace_back().kind = STRATA_PHASE_FORWARD;
  return facts;
}

TEST(UnrecordedModules, AreToldAsTheProgramCan) {
  EXPECT_EQ(how_to_record_modules(forward_of("")), "strata exec --layers, or strata.attach");
  EXPECT_EQ(how_to_record_modules(forward_of("transformers")), "strata exec --layers, or strata.attach");
  EXPECT_EQ(how_to_record_modules(forward_of("libtorch")),
            "STRATA_MODULE (strata/trainer.h) in each module's forward");
}

TEST(UnrecordedModules, AreNoneWhereOneIsTold) {
  Facts facts = forward_of("libtorch");
  facts.blocks.push_back(facts.blocks.front());
  facts.blocks.back().layer = 1;
  EXPECT_EQ(how_to_record_modules(facts), "");
}

TEST(UnrecordedModules, AreNoneWhereNoForwardMadeAnything) {
  Facts facts = forward_of("libtorch");
  facts.blocks.front().category = Category::kTemporary;
  EXPECT_EQ(how_to_record_modules(facts), "");
}

TEST(UnrecordedModules, AreOfATrainingAlone) {
  Facts facts = forward_of("");
  facts.phases.clear();
  EXPECT_EQ(how_to_record_modules(facts), "") << "--layers finds no modules in a program that only evaluates";
}

TEST(UnrecordedModules, OfOursAreKnown) {
  Facts facts = forward_of("");
  facts.is_configured = true;
  EXPECT_EQ(how_to_record_modules(facts), "");
}

}  // namespace
}  // namespace strata::report
