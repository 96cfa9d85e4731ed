// SPDX-License-Identifier: Apache-2.0
// Peaks in steps, epochs, the window and between resets; and one moment whose parts add up.
#include "host/analysis/steps/scopes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "host/analysis/analyse.hpp"
#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/checks/stats_check.hpp"
#include "tests/analysis/cached_run.hpp"

namespace strata::analysis {
namespace {

const Scope& scope(const std::vector<Scope>& scopes, ScopeKind kind, std::int64_t index = 0) {
  for (const Scope& each : scopes) {
    if (each.kind == kind && each.index == index) return each;
  }
  throw std::out_of_range("no such scope");
}

std::uint64_t peak(const Scope& of, Measure measure) {
  return of[measure].value().peak_bytes;
}

TEST(Scopes, AreTheRunTheWindowTheEpochsAndTheSteps) {
  const Facts facts = analyse(testing::cached_run());
  std::string labels;
  for (const Scope& each : scopes_of(facts)) labels += each.label + "; ";
  EXPECT_EQ(labels, "run; window; epoch 0; epoch 1; step 0; step 1; step 2; ");
}

TEST(Scopes, HaveThePeaksOfEachMeasure) {
  const Facts facts = analyse(testing::cached_run());
  const std::vector<Scope> scopes = scopes_of(facts);
  const Scope& first = scope(scopes, ScopeKind::kStep, 0);
  EXPECT_EQ(peak(first, Measure::kAllocated), 1024u + 2048u);
  EXPECT_EQ(peak(first, Measure::kRequested), 1000u + 2000u);
  EXPECT_EQ(peak(first, Measure::kReserved), 2u << 20);
  EXPECT_EQ(peak(first, Measure::kDeviceUsed), (500u << 20) + (2u << 20));
  EXPECT_EQ(peak(first, Measure::kResident), 70u << 20);
  const Scope& second = scope(scopes, ScopeKind::kStep, 1);
  EXPECT_EQ(peak(second, Measure::kAllocated), 1024u + (3u << 20));
  EXPECT_EQ(peak(second, Measure::kReserved), 22u << 20);
  EXPECT_EQ(peak(second, Measure::kDeviceUsed), (500u << 20) + (22u << 20)) << "between two samples";
  const Scope& third = scope(scopes, ScopeKind::kStep, 2);
  EXPECT_EQ(peak(third, Measure::kReserved), 22u << 20) << "what holds when it begins counts";
  EXPECT_EQ(peak(third, Measure::kDeviceUsed), (540u << 20) + (22u << 20)) << "a library took 40 MiB";
  EXPECT_EQ(scope(scopes, ScopeKind::kEpoch, 0).last_step, 1);
  EXPECT_EQ(peak(scope(scopes, ScopeKind::kEpoch, 0), Measure::kAllocated),
            peak(second, Measure::kAllocated));
  EXPECT_EQ(peak(scope(scopes, ScopeKind::kRun), Measure::kDeviceUsed), peak(third, Measure::kDeviceUsed));
}

TEST(Scopes, TellWhatTheyBeginAndEndWith) {
  const Facts facts = analyse(testing::cached_run());
  const std::vector<Scope> scopes = scopes_of(facts);
  const auto& second = scope(scopes, ScopeKind::kStep, 1)[Measure::kAllocated];
  EXPECT_EQ(second->begin_bytes, 1024u);
  EXPECT_EQ(second->end_bytes, 1024u);
  EXPECT_GT(second->peak_ns, scope(scopes, ScopeKind::kStep, 1).begin_ns);
  const auto& run = scope(scopes, ScopeKind::kRun)[Measure::kDeviceUsed];
  EXPECT_EQ(run->begin_bytes, 500u << 20) << "the context is there when the run begins";
}

// The samples give 70 and 60 MiB; only the operating system knows that it was 90 within step 1.
TEST(Scopes, TakeThePeakOfTheProcessFromTheOperatingSystem) {
  const Facts facts = analyse(testing::cached_run());
  const auto scopes = scopes_of(facts);
  const auto& resident = scope(scopes, ScopeKind::kStep, 1)[Measure::kResident];
  EXPECT_EQ(resident->peak_bytes, 90u << 20);
  EXPECT_FALSE(resident->peak_ns.has_value());
  EXPECT_EQ(peak(scope(scopes, ScopeKind::kStep, 2), Measure::kResident), 60u << 20);
}

TEST(Scopes, BetweenResetsBeginWithWhatIsThere) {
  const Facts facts = analyse(testing::cached_run());
  const StepFact& third = facts.steps.at(2);
  const std::vector<Scope> since = scopes_since(
      facts, {{third.begin_sequence, third.begin_ns, "step 2"}, {1, facts.begin_ns, "the begin"}});
  ASSERT_EQ(since.size(), 2u);
  EXPECT_EQ(since[0].label, "since the begin");
  EXPECT_EQ(peak(since[0], Measure::kAllocated), 1024u + (3u << 20));
  EXPECT_EQ(since[1].label, "since step 2");
  EXPECT_EQ(peak(since[1], Measure::kAllocated), 1024u + 512u);
  EXPECT_EQ(peak(since[1], Measure::kReserved), 22u << 20);
}

TEST(Scopes, OfARunWithoutSamplesHaveNoneOfWhatIsSampled) {
  Recording run = testing::cached_run();
  run.samples.device.clear();
  run.samples.resident.clear();
  const Facts facts = analyse(run);
  for (const Scope& each : scopes_of(facts)) {
    EXPECT_FALSE(each[Measure::kDeviceUsed].has_value());
    EXPECT_FALSE(each[Measure::kResident].has_value());
    EXPECT_TRUE(each[Measure::kReserved].has_value());
  }
  const Reconciliation moment = reconcile_peak(facts);
  EXPECT_FALSE(moment.device_used_bytes.has_value());
  EXPECT_FALSE(moment.resident_bytes.has_value());
}

TEST(Scopes, OfARunWithNothingAreEmpty) {
  Recording run;
  run.begin_ns = run.end_ns = 1;
  const Facts facts = analyse(run);
  const std::vector<Scope> scopes = scopes_of(facts);
  ASSERT_EQ(scopes.size(), 1u);
  for (const auto& levels : scopes.front().of) EXPECT_FALSE(levels.has_value());
  EXPECT_EQ(reconcile_peak(facts).allocated_bytes, 0u);
}

void expect_sums(const Reconciliation& moment) {
  const auto sum = [](const CategoryBytes& bytes) {
    return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
  };
  if (moment.device_used_bytes) {
    EXPECT_EQ(static_cast<std::int64_t>(*moment.device_used_bytes),
              moment.outside_bytes + static_cast<std::int64_t>(moment.reserved_bytes));
  }
  EXPECT_EQ(static_cast<std::int64_t>(moment.reserved_bytes),
            moment.unused_bytes + static_cast<std::int64_t>(moment.deferred_bytes + moment.allocated_bytes));
  EXPECT_EQ(moment.allocated_bytes, moment.rounding_bytes + moment.requested_bytes);
  EXPECT_EQ(sum(moment.allocated_by), moment.allocated_bytes);
  EXPECT_EQ(sum(moment.requested_by), moment.requested_bytes);
}

TEST(Reconciliation, AddsUpAtEveryEvent) {
  const Facts facts = analyse(testing::cached_run());
  ASSERT_FALSE(facts.points.empty());
  for (const Point& point : facts.points) expect_sums(reconcile(facts, point.sequence, point.ns));
}

TEST(Reconciliation, KnowsBlocksThatAStreamStillUses) {
  const Facts facts = analyse(testing::cached_run());
  std::uint64_t most = 0;
  for (const DeferredPoint& point : facts.samples.deferred)
    most = std::max(most, reconcile(facts, point.sequence, point.ns).deferred_bytes);
  EXPECT_EQ(most, 512u);
  EXPECT_EQ(reconcile(facts, UINT64_MAX - 1, facts.end_ns).deferred_bytes, 0u);
}

TEST(Reconciliation, IsOfThePeak) {
  const Facts facts = analyse(testing::cached_run());
  const Reconciliation moment = reconcile_peak(facts);
  EXPECT_EQ(moment.step, 1);
  EXPECT_EQ(moment.allocated_bytes, 1024u + (3u << 20));
  EXPECT_EQ(moment.rounding_bytes, 24u);
  EXPECT_EQ(moment.outside_bytes, 500 << 20);
  EXPECT_EQ(moment.device_total_bytes, std::uint64_t{80} << 30);
}

TEST(StatsCheck, HoldsForTorchsOwnCounts) {
  const Facts facts = analyse(testing::cached_run());
  ASSERT_TRUE(facts.stats_check.has_value());
  EXPECT_TRUE(facts.stats_check->holds());
  EXPECT_EQ(facts.stats_check->values, 6u * 2);
}

TEST(StatsCheck, NoticesEveryCountThatDiffers) {
  using Count = DeviceStatsRow::Count;
  for (Count DeviceStatsRow::*count :
       {&DeviceStatsRow::allocated, &DeviceStatsRow::reserved, &DeviceStatsRow::requested}) {
    for (std::uint64_t Count::*value : {&Count::bytes, &Count::peak_bytes}) {
      Recording run = testing::cached_run();
      ++(run.device_stats.back().*count.*value);
      const Facts facts = analyse(run);
      EXPECT_EQ(facts.stats_check->mismatches, 1u);
      EXPECT_EQ(facts.stats_check->first_mismatch->torchs, facts.stats_check->first_mismatch->ours + 1);
    }
  }
}

TEST(StatsCheck, FailsWhereTorchWasAskedAndSaidNothing) {
  Recording run = testing::cached_run();
  run.device_stats.clear();
  const Facts facts = analyse(run);
  ASSERT_TRUE(facts.stats_check.has_value());
  EXPECT_FALSE(facts.stats_check->holds());
}

}  // namespace
}  // namespace strata::analysis
