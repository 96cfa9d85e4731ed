// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "host/what_if/advice_text.hpp"

namespace strata::what_if {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;
constexpr std::uint64_t kContext = kGiB / 2;

// A training whose memory need is a sum of parts.
class FakeTrials : public Trials {
 public:
  std::function<double(const Selection&)> need_gib = [](const Selection&) { return 10.0; };
  std::function<bool(const Selection&)> is_refused = [](const Selection&) { return false; };
  std::uint64_t cached_bytes = 0;  // reserved, not allocated
  bool fits_on_card = true;
  int runs = 0, runs_on_card = 0;

  std::vector<Change> all;

  const std::vector<Change>& changes() const override { return all; }
  std::vector<Measurement> measure(const std::vector<Selection>& selections) override {
    std::vector<Measurement> measured;
    for (const Selection& each : selections) measured.push_back(measure_one(each));
    return measured;
  }
  Measurement measure_one(const Selection& switches) {
    ++runs;
    if (is_refused(switches)) return {.problem = "refused"};
    const auto allocated = static_cast<std::uint64_t>(need_gib(switches) * static_cast<double>(kGiB));
    return {.problem = {},
            .allocated_bytes = allocated,
            .reserved_bytes = allocated + cached_bytes,
            .needed_bytes = allocated + cached_bytes + kContext,
            .step_ns = 1e6 * (1.0 + static_cast<double>(switches.size()))};
  }
  bool fits(const Selection&) override {
    ++runs_on_card;
    return fits_on_card;
  }
};

bool has(const Selection& switches, std::size_t index) {
  return std::ranges::find(switches, index) != switches.end();
}

Change change(const char* name, const char* group, Effect effect = Effect::kSameMathematics) {
  return {
      .name = name, .overrides = {}, .allocator_settings = {}, .cost = "c", .effect = effect, .group = group};
}

// 0 saves 2 GiB; 1 saves 3 in the same way; 2 saves 1; 3 saves nothing on top of 1; 4 changes the
// mathematics.
const std::vector<Change> kChanges = {change("half", "checkpointing"), change("all", "checkpointing"),
                                      change("fused", "form"), change("split", "micro-batch"),
                                      change("bf16", "precision", Effect::kOtherMathematics)};

FakeTrials trials() {
  FakeTrials trials;
  trials.all = kChanges;
  trials.need_gib = [](const Selection& on) {
    const double activations = has(on, 1) ? 1.0 : has(on, 0) ? 2.0 : has(on, 3) ? 2.5 : 4.0;
    return (6.0 + activations - (has(on, 2) ? 1.0 : 0.0)) * (has(on, 4) ? 0.5 : 1.0);
  };
  return trials;
}

TEST(Advice, PutsTogetherWhatSavesBesideTheOthers) {
  FakeTrials runs = trials();
  const Advice advice = advise(8 * kGiB, runs);
  EXPECT_FALSE(advice.base.fits);
  ASSERT_EQ(advice.alone.size(), 5u);
  ASSERT_EQ(advice.together.size(), 2u);
  EXPECT_EQ(advice.together[0].changes, Selection{1});
  EXPECT_EQ(advice.together[1].changes, (Selection{1, 2}));
  ASSERT_TRUE(advice.all);
  EXPECT_EQ(advice.all->changes, (Selection{1, 2, 4}));
  EXPECT_EQ(advice.all->measured.allocated_bytes, 3 * kGiB);
}

TEST(Advice, NamesTheLeastThatFitsAndKeepsTheMathematics) {
  FakeTrials runs = trials();
  // One change of the mathematics would suffice; two changes without it are preferred.
  const Advice advice = advise(13 * kGiB / 2, runs);
  ASSERT_TRUE(advice.least);
  EXPECT_EQ(advice.least->changes, (Selection{1, 2}));
  const Advice roomier = advise(9 * kGiB, runs);
  ASSERT_TRUE(roomier.least);
  EXPECT_EQ(roomier.least->changes.size(), 1u);
  EXPECT_TRUE(roomier.least->fits);
  const Advice tight = advise(7 * kGiB / 2, runs);
  ASSERT_TRUE(tight.least);
  EXPECT_EQ(tight.least->changes, (Selection{1, 2, 4}));
  // The fused form is not needed with the other two.
  const Advice fewer = advise(4 * kGiB, runs);
  ASSERT_TRUE(fewer.least);
  EXPECT_EQ(fewer.least->changes, (Selection{1, 4}));
  EXPECT_FALSE(advise(3 * kGiB, runs).least);
  EXPECT_FALSE(advise(80 * kGiB, runs).least) << "it fits as it is";
}

TEST(Advice, AsksTheCardWhereTheAllocatorCouldGiveBack) {
  FakeTrials runs = trials();
  runs.cached_bytes = 2 * kGiB;
  const Advice advice = advise(11 * kGiB, runs);
  EXPECT_GT(runs.runs_on_card, 0);
  EXPECT_TRUE(advice.base.fits);
  runs.fits_on_card = false;
  EXPECT_FALSE(advise(11 * kGiB, runs).base.fits);
}

TEST(Advice, LeavesOutWhatIsRefused) {
  FakeTrials runs = trials();
  runs.is_refused = [](const Selection& on) { return has(on, 1); };
  const Advice advice = advise(80 * kGiB, runs);
  EXPECT_EQ(advice.alone.size(), 4u);
  for (const Line& line : advice.together) EXPECT_FALSE(has(line.changes, 1));
  runs.is_refused = [](const Selection&) { return true; };
  const Advice none = advise(80 * kGiB, runs);
  EXPECT_TRUE(none.alone.empty());
  EXPECT_EQ(none.base.measured.problem, "refused");
}

TEST(Advice, TriesNothingThatHasAReasonNotTo) {
  FakeTrials runs = trials();
  runs.all[1].problem = "nothing to checkpoint";
  runs.is_refused = [](const Selection& on) {
    EXPECT_FALSE(has(on, 1));
    return has(on, 2);
  };
  const Advice advice = advise(80 * kGiB, runs);
  ASSERT_EQ(advice.refused.size(), 2u);
  EXPECT_EQ(advice.refused[0].problem, "nothing to checkpoint");
  EXPECT_EQ(advice.refused[1].change, 2u);
  EXPECT_EQ(advice.refused[1].problem, "refused");
  EXPECT_EQ(advice.alone.size(), 3u);
}

TEST(AdviceText, OfAProgramSaysWhatToWriteAndWhatWasNotTried) {
  FakeTrials runs = trials();
  for (Change& change : runs.all) change.write = "write " + change.name;
  runs.all[2].problem = "it is fused";
  const Advice advice = advise(8 * kGiB, runs);
  const AdvisedDevice device{"t4", "Tesla T4", 8 * kGiB};
  const CommandOf command = [](const Selection& on, On) { return on.empty() ? "run it" : std::string(); };
  const std::string text = advice_text(runs.all, device, advice, command);
  EXPECT_NE(text.find("What to write\n  half\n    write half\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  fused: it is fused\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Smallest change that makes it fit: all\n  write all\n"), std::string::npos) << text;
  const auto json = advice_json(runs.all, device, advice, command);
  EXPECT_EQ(json["refused"][0]["reason"], "it is fused");
  EXPECT_EQ(json["least"]["changes"][0]["write"], "write all");
  EXPECT_TRUE(json["least"]["command"].is_null());
  EXPECT_EQ(json["base"]["command"], "run it");
}

TEST(AdviceText, FitsIntoEightyColumnsAndNamesTheCommand) {
  FakeTrials runs = trials();
  runs.all[2].name = "a name that is far longer than its column, by a stranger";
  runs.all[2].cost = "a cost that is far longer than its column, too";
  const std::vector<Change>& changes = runs.all;
  const Advice advice = advise(13 * kGiB / 2, runs);
  const CommandOf command = [](const Selection& on, On where) {
    return "run " + std::to_string(on.size()) + (where == On::kCard ? " there" : " with room");
  };
  const std::string text = advice_text(changes, {"h100-80gb", "NVIDIA H100", 13 * kGiB / 2}, advice, command);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 84u) << text.substr(begin, end - begin);  // an ellipsis takes three bytes
    begin = end + 1;
  }
  EXPECT_NE(text.find("Smallest change that makes it fit: all, "), std::string::npos) << text;
  EXPECT_NE(text.find("\n  run 2 there\n"), std::string::npos) << text;

  const auto json = advice_json(changes, {"h100-80gb", "NVIDIA H100", 13 * kGiB / 2}, advice, command);
  EXPECT_EQ(json["alone"].size(), 5u);
  EXPECT_EQ(json["alone"][0]["command"], "run 1 with room");
  EXPECT_EQ(json["least"]["command"], "run 2 there");
  EXPECT_FALSE(json["alone"][4]["changes"][0]["same_mathematics"]);
}

}  // namespace
}  // namespace strata::what_if
