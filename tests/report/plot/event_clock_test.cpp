// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/event_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "host/report/plot/plots.hpp"
#include "tests/report/plot/pixels.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report::plot {
namespace {

TEST(EventClock, GivesEachEventItsNumber) {
  const analysis::Facts facts = report::testing::simulate({});
  const analysis::MemoryFacts counted = with_event_clock(facts);
  ASSERT_EQ(counted.points.size(), facts.points.size());
  for (std::size_t point = 0; point < counted.points.size(); ++point)
    ASSERT_EQ(counted.points[point].ns, static_cast<std::int64_t>(point));
  for (std::size_t step = 0; step < counted.steps.size(); ++step) {
    const auto& turned = counted.steps[step];
    EXPECT_LE(turned.begin_ns, turned.end_ns);
    const std::int64_t before = step == 0 ? 0 : counted.steps[step - 1].end_ns;
    EXPECT_GE(turned.begin_ns, before);
    // The number of events before it is unchanged.
    EXPECT_EQ(turned.begin_ns, std::ranges::count_if(facts.points, [&](const analysis::Point& point) {
                return point.sequence < turned.begin_sequence;
              }));
  }
  EXPECT_EQ(counted.peak.allocated_bytes, facts.peak.allocated_bytes);
  EXPECT_EQ(counted.points[static_cast<std::size_t>(counted.peak.ns)].sequence, facts.peak.sequence);
}

TEST(EventClock, DrawsWithShapesInEachFormat) {
  const analysis::Facts facts = report::testing::simulate({});
  for (const Over over : {Over::kTime, Over::kEvents}) {
    PlotOptions options{.format = FileFormat::kPng, .width = 800, .height = 500, .pixels_a_point = 1.0};
    options.over = over;
    const auto plain = testing::read_png(draw(facts, Picture::kMemory, options));
    options.shapes = true;
    const auto labelled = testing::read_png(draw(facts, Picture::kMemory, options));
    EXPECT_NE(plain.pixels, labelled.pixels);
    options.format = FileFormat::kSvg;
    EXPECT_NE(draw(facts, Picture::kMemory, options).find("<svg"), std::string::npos);
  }
}

}  // namespace
}  // namespace strata::report::plot
