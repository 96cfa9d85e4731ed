// SPDX-License-Identifier: Apache-2.0
// The report on time: its content, its width, and harmless display of foreign names.
#include "host/report/time/time_report.hpp"
#include "host/analysis/facts/facts.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>

#include "host/report/text.hpp"
#include "strata/ext/activity.h"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::IdleCause;
using analysis::LayerTime;

constexpr std::string_view kHostile =
    "\x1b[31m\xff<script>\n\"quoted\" a name that goes on and on and on and on and on";

// Two steps on a device, with an entry in each table.
Facts on_device() {
  Facts facts;
  facts.texts = {"", "aten::mm", std::string(kHostile)};
  analysis::TimeFacts& time = facts.time.emplace();
  time.window_ns = 20'000'000;
  time.steps = {
      {.step = 3, .wall_ns = 12'000'000, .operator_ns = 6'000'000, .device_ns = 3'000'000, .operators = 40},
      {.step = 4, .wall_ns = 8'000'000, .operator_ns = 4'000'000, .device_ns = 3'000'000, .operators = 40}};
  time.phases = {{.path = "backward",
                  .depth = 0,
                  .count = 2,
                  .wall_ns = 16'000'000,
                  .self_ns = 15'000'000,
                  .operator_ns = 8'000'000,
                  .thread_ns = 9'000'000,
                  .device_ns = 5'000'000,
                  .device_idle_ns = 12'000'000},
                 {.path = "backward/forward",
                  .depth = 1,
                  .count = 2,
                  .wall_ns = 1'000'000,
                  .self_ns = 1'000'000,
                  .operator_ns = 500'000,
                  .thread_ns = 500'000,
                  .device_ns = 0,
                  .device_idle_ns = 0}};
  const auto layer = [](const char* path, const char* label, std::uint32_t depth, std::int64_t ns) {
    LayerTime time;
    time.path = path;
    time.label = label;
    time.depth = depth;
    time.total = {.forward_ns = ns, .backward_ns = 2 * ns, .device_ns = ns, .operators = std::uint64_t(ns)};
    return time;
  };
  time.layers = {layer("", "", 0, 3'000'000), layer("layers", "layers", 1, 3'000'000),
                 layer("layers.0", "0", 2, 2'000'000), layer("layers.1", "1", 2, 1'000'000)};
  time.ops = {{.name = 1,
               .kind = 0,
               .count = 40,
               .self_ns = 6'000'000,
               .total_ns = 7'000'000,
               .device_ns = 5'000'000},
              {.name = 2, .kind = 0, .count = 1, .self_ns = 1, .total_ns = 1, .device_ns = 0}};
  analysis::KernelTime kernel;
  kernel.name = kHostile;
  kernel.kind = STRATA_ACTIVITY_KERNEL;
  kernel.count = 40;
  kernel.total_ns = 5'000'000;
  time.kernels = {kernel};
  analysis::DeviceTime device;
  device.bounds = {0, 20'000'000};
  device.busy_ns = 6'000'000;
  device.compute_ns = 5'000'000;
  device.copy_ns = 2'000'000;
  device.overlap_ns = 1'000'000;
  device.idle_ns[static_cast<std::size_t>(IdleCause::kLaunch)] = 14'000'000;
  time.devices = {device};
  time.calls = {{.name = "cudaLaunchKernel", .count = 40, .total_ns = 400'000}};
  time.launches = {.launches = 40, .work = 38, .launches_unanswered = 2, .work_unasked = 0};
  analysis::ProductTime product;
  product.shape = {
      .op = 0, .bytes = 1, .batch = 1, .m = 64, .n = 64, .k = 64, .products = 1, .element_bytes = 4};
  product.name = 1;
  product.count = 40;
  product.flop = 1e9;
  product.bytes = 100'000'000;
  product.time_ns = 1'000'000;
  product.on_device = true;
  time.products = {product};
  return facts;
}

std::string report(const Facts& facts, const TimeReportOptions& options = {}, int width = 100) {
  return time_report(facts, options, false, width);
}

bool says(const std::string& text, std::string_view part) {
  std::string words;
  for (const char character : text)
    if (character != '\n' && !(character == ' ' && words.ends_with(' ')))
      words += character;
    else if (!words.ends_with(' '))
      words += ' ';
  return words.find(part) != std::string::npos;
}

TEST(TimeReport, SaysWhereTheTimeWent) {
  const std::string text = report(on_device());
  EXPECT_TRUE(says(text, "Time: 10.0 ms a step, the mean of steps 3 to 4")) << text;
  EXPECT_TRUE(says(text, "backward 8.00 80.0% 50.0%")) << text;
  EXPECT_TRUE(says(text, "(no phase) 2.00 20.0% 50.0% 50.0%")) << text;
  EXPECT_TRUE(says(text, "idle 70.0%, most of it: launch-bound: the host had not asked yet (70.0%)")) << text;
  EXPECT_TRUE(says(text, "layers.[0-1]")) << text;
  EXPECT_TRUE(says(text, "aten::mm 20 3.00")) << text;
  EXPECT_TRUE(says(text, "launch-bound: the host had not asked yet 7.00 70.0%")) << text;
  EXPECT_TRUE(says(text, "40 launches, 2 without a kernel")) << text;
  EXPECT_TRUE(says(text, "aten::mm 64x64x64 40")) << text;
  EXPECT_FALSE(says(text, "modelled"));
}

TEST(TimeReport, LabelsWhatAModelSaid) {
  Facts facts = on_device();
  facts.time->devices[0].modelled = facts.time->modelled = true;
  EXPECT_TRUE(says(report(facts), "Device 0 (modelled)"));
  EXPECT_TRUE(says(report(facts), "by a model: nothing was measured"));
  EXPECT_FALSE(says(report(facts), "cuDNN"));
  facts.texts[1] = "aten::cudnn_convolution";
  EXPECT_TRUE(says(report(facts), "gives no time to convolutions"));
}

TEST(TimeReport, HoldsProductsAgainstACard) {
  TimeReportOptions options;
  options.peak = {
      .card = "CARD", .half_flop_per_second = 0, .single_flop_per_second = 10e12, .bytes_per_second = 1e12};
  const std::string text = report(on_device(), options);
  EXPECT_TRUE(says(text, "10.0% compute")) << "1 TFLOP/s of 10, 10 FLOP a byte at a ridge of 10: " << text;
  EXPECT_TRUE(says(text, "CARD"));
}

TEST(TimeReport, FitsAndShowsNoControlCharacters) {
  for (const int width : {80, 100, 160}) {
    std::istringstream lines(report(on_device(), {}, width));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
      EXPECT_LE(columns(line), width) << line;
    }
  }
}

TEST(TimeReport, CutsListsAndCountsTheRest) {
  EXPECT_TRUE(says(report(on_device(), {.top = 1}), "(1 more)"));
}

TEST(TimeReport, HasARowAStep) {
  const std::string text = report(on_device(), {.steps = true});
  EXPECT_TRUE(says(text, "3 12.00 50.0% 40 25.0%")) << text;
  EXPECT_FALSE(says(text, "Phases"));
}

TEST(TimeReport, SaysWhichStepsAreLeftOutAsWarmUpAndBothMeans) {
  Facts facts = on_device();
  facts.steady_state.course = analysis::Course::kWarmUp;
  facts.steady_state.first_step = 4;
  const std::string text = report(facts, {.steps = true});
  EXPECT_TRUE(says(text, "3 warm-up 12.00")) << text;
  EXPECT_TRUE(says(text, "mean of all 2 10.00 50.0% 40 30.0%")) << text;
  EXPECT_TRUE(says(text, "mean of 1 steady 8.00 50.0% 40 37.5%")) << text;
  EXPECT_TRUE(says(text, "steady from step 4 on: step 3 is before that, and left out")) << text;
  EXPECT_TRUE(says(report(facts), "8.0 ms without the 1 step of warm-up"));
  facts.steady_state.first_step = 5;
  EXPECT_TRUE(says(report(facts, {.steps = true}), "steps 3 to 4 are before that"));
  EXPECT_TRUE(says(report(facts), "all of them warm-up"));
  facts.steady_state.first_step = 3;
  EXPECT_TRUE(says(report(facts, {.steps = true}), "No step of the window is warm-up"));
  EXPECT_FALSE(says(report(facts), "warm-up"));
  facts.steady_state = {};
  EXPECT_TRUE(says(report(facts, {.steps = true}), "Too few steps"));
}

TEST(TimeReport, WarnsOfWhatWasNotRecordedOfADevice) {
  Facts facts = on_device();
  facts.device = "cuda:0";
  EXPECT_FALSE(says(report(facts), "records dropped"));
  facts.time->captures = {
      {.activities = 1000, .dropped = 12, .refused_buffers = 1, .without_times = 2, .reason = {}},
      {.activities = 5, .lost_origins = 3, .reason = {}},
      {.reason = std::string(kHostile)}};
  for (const bool steps : {false, true}) {
    const std::string text = report(facts, {.steps = steps});
    EXPECT_TRUE(says(
        text, "12 records dropped, 1 buffer refused, 2 records without times, beside 1000 that were kept"))
        << text;
    EXPECT_TRUE(says(text, "3 origins lost of 5")) << text;
    EXPECT_TRUE(says(text, "what devices did was not recorded:")) << text;
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
  }
  facts.device = "cpu";
  EXPECT_FALSE(says(report(facts), "records dropped"));
}

TEST(TimeReport, OfARunWithoutTimesThereIsNoLine) {
  EXPECT_EQ(time_headline(Facts(), {false, 80}), "");
}

}  // namespace
}  // namespace strata::report
