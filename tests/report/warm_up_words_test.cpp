// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/warm_up_words.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <set>
#include <string_view>
#include <vector>

#include "host/analysis/warm_up/causes.hpp"

namespace strata::report {
namespace {

using analysis::Cause;
using analysis::Proof;
using analysis::ProofKind;

struct ProofAndText {
  Proof proof;
  std::string_view text;
};

TEST(WarmUpWords, HaveATextForEachKindOfProof) {
  const std::vector<ProofAndText> all = {
      {{.kind = ProofKind::kActivities, .name = "cuInit", .count = 3, .ns = 1.2e9},
       "3 timed, the longest cuInit 1.20 s"},
      {{.kind = ProofKind::kActivities, .count = 1, .ns = 12e6}, "1 timed, the longest 12.0 ms"},
      {{.kind = ProofKind::kModules, .count = 2, .bytes = 3U << 20U}, "2 modules, 3.0 MiB"},
      {{.kind = ProofKind::kProjections, .count = 4, .ns = 150e6},
       "4 calls of SVD or QR took 150.0 ms more than in a steady step"},
      {{.kind = ProofKind::kSlowCalls, .name = "backward", .count = 1, .calls = {{"aten::exp", 9e6}}},
       "in backward: aten::exp 9.0 ms"},
      {{.kind = ProofKind::kProcessorWait, .name = "forward", .ns = 25e6},
       "25.0 ms in forward ready to run, without a processor"},
      {{.kind = ProofKind::kFaultsEstimated, .name = "forward", .more = 51'200.0, .ns = 2e3},
       "51200 more in forward than in steady steps, 2.0 us each, as measured at the run's begin"},
      {{.kind = ProofKind::kFaultsTimed, .name = "forward", .more = 10'000.0, .ns = 2500.0},
       "10000 more in forward than in steady steps, 2.5 us each, by the phase's processor time"},
      {{.kind = ProofKind::kThreads, .name = "forward", .more = 7.0, .ns = 10e3},
       "7 in forward, 10.0 us each as measured at the run's begin"},
      {{.kind = ProofKind::kPrograms, .name = "compile", .ns = 90e6},
       "child processes that ended in compile had 90.0 ms of processor time"},
      {{.kind = ProofKind::kStateTensors, .count = 4}, "4 tensors of state were made"},
      {{.kind = ProofKind::kPhaseTime, .name = "data", .ns = 301e6, .usual_ns = 1e6},
       "data took 301.0 ms, 1.0 ms in steady steps"},
      {{.kind = ProofKind::kPhaseProcessorTime, .ns = 2e6}, "2.0 ms of it at work"},
      {{.kind = ProofKind::kLibraries, .count = 1, .libraries = {"libcudnn.so.9"}}, "opened libcudnn.so.9"},
  };
  std::set<ProofKind> kinds;
  for (const auto& [proof, text] : all) {
    kinds.insert(proof.kind);
    EXPECT_EQ(proof_text({proof}), text);
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(ProofKind::kLibraries) + 1) << "a kind has no text here";
}

TEST(WarmUpWords, SayHowManyCallsAndLibrariesTheyDoNotName) {
  EXPECT_EQ(
      proof_text({{.kind = ProofKind::kSlowCalls,
                   .name = "forward",
                   .count = 40,
                   .calls = {{"aten::mm", 9e6, false}, {"aten::exp", 2e6, true, 5}, {"aten::add", 1e6}}}}),
      "in forward: aten::mm 9.0 ms (not its first), aten::exp 2.0 ms (opened 5 libraries), aten::add "
      "1.0 ms and 37 more");
  EXPECT_EQ(proof_text({{.kind = ProofKind::kLibraries, .count = 4, .libraries = {"a.so", "b.so", "c.so"}}}),
            "opened a.so, b.so, c.so and 1 more");
}

TEST(WarmUpWords, JoinAllProofsOfACause) {
  EXPECT_EQ(proof_text({}), "");
  EXPECT_EQ(proof_text({{.kind = ProofKind::kStateTensors, .count = 4},
                        {.kind = ProofKind::kPhaseTime, .name = "AdamW.step", .ns = 37e6, .usual_ns = 2e6}}),
            "4 tensors of state were made; AdamW.step took 37.0 ms, 2.0 ms in steady steps");
}

TEST(WarmUpWords, HaveATitleOfItsOwnForEachCause) {
  std::set<std::string_view> titles;
  for (std::size_t index = 0; index < analysis::kCauses; ++index)
    titles.insert(cause_title(static_cast<Cause>(index)));
  EXPECT_EQ(titles.size(), analysis::kCauses);
  EXPECT_FALSE(titles.contains(""));
  EXPECT_EQ(cause_title(Cause::kSharedLibraries), "shared libraries opened");
}

}  // namespace
}  // namespace strata::report
