// A run of a million memory events, with the operators around them, must be understood while a person waits.
#include <gtest/gtest.h>

#include <ctime>

#include "host/analysis/analyse.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

TEST(AnalyseSpeed, AMillionEventsInLessThanThreeSeconds) {
#if !defined(NDEBUG)
  GTEST_SKIP() << "measured in optimized builds alone";
#endif
  testing::TemporaryDirectory directory;
  testing::write_store(
      directory.path(),
      testing::make_training_run({.steps = 500, .micro_batches = 4, .layers = 36}).recording);
  const double begin = processor_seconds();
  const Facts facts = analyse(directory.path());
  const double seconds = processor_seconds() - begin;
  RecordProperty("milliseconds", static_cast<int>(seconds * 1000));
  RecordProperty("events", static_cast<int>(facts.points.size()));
  EXPECT_GE(facts.points.size(), 1'000'000u);
  EXPECT_LT(seconds / static_cast<double>(facts.points.size()) * 1e6, 3.0);
}

}  // namespace
}  // namespace strata::analysis
