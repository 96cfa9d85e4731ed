// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "host/analysis/analyse.hpp"
#include "host/analysis/facts/reason.hpp"
#include "host/report/words/reasons.hpp"
#include "tests/analysis/checks.hpp"

namespace strata::analysis {
namespace {

using testing::failed_checks;
using testing::runs_to_check;

std::set<std::string> failed_on_any_run(const Method& method) {
  std::set<std::string> failed;
  for (const testing::TrainingRun& run : runs_to_check()) failed.merge(failed_checks(run, method));
  return failed;
}

TEST(Rules, EveryByteOfEveryRunIsWhatItWasBuiltToBe) {
  for (std::size_t run = 0; run < runs_to_check().size(); ++run) {
    SCOPED_TRACE(run);
    const testing::TrainingRun& made = runs_to_check()[run];
    EXPECT_EQ(failed_checks(made), std::set<std::string>());
    const Facts facts = analyse(made.recording);
    ASSERT_EQ(facts.blocks.size(), made.expected.size());
    for (std::size_t index = 0; index < facts.blocks.size(); ++index) {
      const Block& block = facts.blocks[index];
      EXPECT_EQ(std::string(to_string(block.category)) + "/" + std::string(to_string(block.kind)),
                std::string(to_string(made.expected[index].category)) + "/" +
                    std::string(made.expected[index].kind))
          << "block " << index << " of " << block.bytes << " bytes: " << report::reason_text(block.reason);
      EXPECT_EQ(facts.texts[block.layer], made.expected[index].layer)
          << "block " << index << " of " << block.bytes << " bytes: " << report::reason_text(block.reason);
    }
  }
}

TEST(Rules, HaveNamesAndSentencesOfTheirOwn) {
  std::set<std::string_view> names, sentences;
  for (const Rule& rule : standard_rules()) {
    EXPECT_TRUE(names.insert(rule.name).second) << rule.name;
    EXPECT_TRUE(sentences.insert(report::reason_text(rule.reason)).second) << rule.name;
  }
}

TEST(Rules, HaveTheReasonsInTheirOrder) {
  std::size_t index = static_cast<std::size_t>(Reason::kNone);
  for (const Rule& rule : standard_rules())
    EXPECT_EQ(static_cast<std::size_t>(rule.reason), ++index) << rule.name;
  EXPECT_EQ(index, static_cast<std::size_t>(Reason::kUnknown));  // the later reasons belong to no rule
}

// Such a program frees its model at the end, and each operator's results.
TEST(Rules, WhereNoStepBeginsNothingIsASetupsTemporary) {
  Evidence block{.birth = 5, .death = 9, .stage = Stage::kSetup};
  EXPECT_EQ(decide(standard_rules(), block).name, "unknown_setup");
  block.phase_end = 20;
  EXPECT_EQ(decide(standard_rules(), block).name, "setup_temp");
}

TEST(Rules, AreTheTableOfTheDocument) {
  std::ifstream document(STRATA_CATEGORIES_DOCUMENT);
  std::vector<std::string> rows;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("| `")) rows.push_back(line);
  }
  std::vector<std::string> wanted;
  for (const Rule& rule : standard_rules()) {
    wanted.push_back("| `" + std::string(rule.name) + "` | " + to_string(rule.category) + " | " +
                     std::string(to_string(rule.kind)) + " | " +
                     std::string(report::reason_text(rule.reason)) + " |");
  }
  EXPECT_EQ(rows, wanted);
}

// A rule that no run needs would be untested.
TEST(Rules, WithoutAnyOneOfThemSomeRunIsWrong) {
  for (const Rule& rule : standard_rules()) {
    Method method;
    std::erase_if(method.rules, [&](const Rule& candidate) { return candidate.name == rule.name; });
    EXPECT_NE(failed_on_any_run(method), std::set<std::string>())
        << "nothing noticed the loss of " << rule.name;
  }
}

Rule& rule_called(Method& method, std::string_view name) {
  const auto found = std::find_if(method.rules.begin(), method.rules.end(),
                                  [&](const Rule& rule) { return rule.name == name; });
  if (found == method.rules.end()) throw std::logic_error("no such rule");
  return *found;
}

void replace(Method& method, std::string_view name, bool (*applies)(const Evidence&)) {
  rule_called(method, name).applies = applies;
}

void move_before(Method& method, std::string_view name, std::string_view before) {
  const Rule moved = rule_called(method, name);
  std::erase_if(method.rules, [&](const Rule& rule) { return rule.name == name; });
  const auto place = std::find_if(method.rules.begin(), method.rules.end(),
                                  [&](const Rule& rule) { return rule.name == before; });
  method.rules.insert(place, moved);
}

struct BrokenMethod {
  const char* what;
  const char* noticed_by;  // at least this one of failed_checks, on some run
  std::function<void(Method&)> break_it;
};

const std::vector<BrokenMethod>& broken_methods() {
  static const std::vector<BrokenMethod> methods = {
      {"owners are forgotten", "unknown",
       [](Method& method) {
         std::erase_if(method.rules, [](const Rule& rule) {
           return report::reason_text(rule.reason).starts_with("registered");
         });
       }},
      {"gradients are guessed, not looked up", "owners",
       [](Method& method) {
         std::erase_if(method.rules, [](const Rule& rule) { return rule.name == "gradient"; });
       }},
      {"what autograd saved is ignored", "labels",
       [](Method& method) { method.rules = without_saved(method.rules); }},
      {"what autograd saved goes before owners", "labels",
       [](Method& method) { move_before(method, "saved", "parameter"); }},
      {"an activation need not be alive when backward begins", "truth",
       [](Method& method) {
         std::erase_if(method.rules, [](const Rule& rule) { return rule.name == "forward_temp"; });
       }},
      {"an activation may outlive its backward", "truth",
       [](Method& method) {
         replace(method, "activation", [](const Evidence& block) {
           return block.stage == Stage::kForward && block.backward_begin != kNever;
         });
       }},
      {"a temporary may die in backward", "truth",
       [](Method& method) {
         replace(method, "forward_temp", [](const Evidence& block) {
           return block.stage == Stage::kForward && block.backward_begin != kNever &&
                  block.death < block.backward_end;
         });
       }},
      {"forwards without a backward hold activations", "labels",
       [](Method& method) {
         Rule& rule = rule_called(method, "forward_only_residue");
         rule.kind = BlockKind::kSaved;
       }},
      {"a later micro-batch's gradient is only a flowing one", "labels",
       [](Method& method) { replace(method, "accumulate_temp", [](const Evidence&) { return false; }); }},
      {"all gradients are a later micro-batch's", "labels",
       [](Method& method) {
         replace(method, "accumulate_temp",
                 [](const Evidence& block) { return block.stage == Stage::kBackward; });
       }},
      {"the seed of backward is only a flowing gradient", "labels",
       [](Method& method) { replace(method, "backward_seed", [](const Evidence&) { return false; }); }},
      {"what never left a matrix product is no workspace", "labels",
       [](Method& method) { replace(method, "workspace", [](const Evidence&) { return false; }); }},
      {"the optimizer's temporaries are its state", "labels",
       [](Method& method) {
         replace(method, "optimizer_temp", [](const Evidence&) { return false; });
         replace(method, "optimizer_state_left",
                 [](const Evidence& block) { return block.stage == Stage::kOptimizer; });
       }},
      {"all of setup is temporary", "labels",
       [](Method& method) {
         std::erase_if(method.rules,
                       [](const Rule& rule) { return rule.name == "parameter" || rule.name == "buffer"; });
         replace(method, "setup_temp", [](const Evidence& block) { return block.stage == Stage::kSetup; });
       }},
      {"recomputed blocks are flowing gradients", "labels",
       [](Method& method) {
         replace(method, "recompute", [](const Evidence&) { return false; });
         replace(method, "flowing", [](const Evidence& block) {
           return block.stage == Stage::kBackward || block.stage == Stage::kRecompute;
         });
       }},
      {"layers are joined without the thread", "layers",
       [](Method& method) {
         method.forward_key = [](const OpRow& op) { return ForwardKey{op.autograd_sequence, 0}; };
       }},
      {"layers are joined by the wrong thread", "layers",
       [](Method& method) {
         method.forward_key = [](const OpRow& op) {
           return ForwardKey{op.autograd_sequence, op.kind == 1 ? std::uint64_t{234} : op.forward_thread};
         };
       }},
      {"layers are joined without autograd's number", "layers",
       [](Method& method) {
         method.forward_key = [](const OpRow& op) { return ForwardKey{0, op.forward_thread}; };
       }},
      {"the table is not total", "total", [](Method& method) { method.rules.pop_back(); }},
  };
  return methods;
}

TEST(Rules, BrokenOnesAreNoticed) {
  for (const BrokenMethod& broken : broken_methods()) {
    Method method;
    broken.break_it(method);
    const std::set<std::string> failed = failed_on_any_run(method);
    EXPECT_TRUE(failed.contains(broken.noticed_by)) << broken.what << " should fail the check '"
                                                    << broken.noticed_by << "', and failed " << failed.size();
  }
}

}  // namespace
}  // namespace strata::analysis
