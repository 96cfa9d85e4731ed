// SPDX-License-Identifier: Apache-2.0
// The time part of a trace: valid JSON whose slices nest on each row, in the form of torch.profiler's
// traces.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "host/analysis/analyse.hpp"
#include "host/export/trace/chrome.hpp"
#include "host/export/trace/thread_slices.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "tests/analysis/time/timed_run.hpp"
#include "tests/export/text_output.hpp"

namespace strata::exports {
namespace {

using analysis::testing::TimedRun;
using Json = nlohmann::json;

Json trace_of(TimedRun& run) {
  run.recording().pid = 4242;
  analysis::Recording recording = run.recording();
  std::ranges::stable_sort(recording.time.activities, {}, &analysis::ActivityRow::begin_ns);
  return Json::parse(testing::text_of(write_chrome, analysis::analyse(std::move(recording))));
}

Json with_category(const Json& trace, const std::string& category, const std::string& phase = "X") {
  Json found = Json::array();
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == phase && event.value("cat", "") == category) found.push_back(event);
  return found;
}

// Any two slices of a row are disjoint or nested.
void expect_nesting(const Json& trace) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<std::pair<double, double>>> rows;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["dur"].get<double>(), 0.0);
    const double begin = event["ts"];
    rows[{event["pid"], event["tid"]}].push_back({begin, begin + event["dur"].get<double>()});
  }
  for (auto& [row, slices] : rows) {
    std::ranges::sort(slices, [](const auto& left, const auto& right) {
      return left.first != right.first ? left.first < right.first : left.second > right.second;
    });
    std::vector<double> open;
    for (const auto& [begin, end] : slices) {
      while (!open.empty() && open.back() <= begin + 1e-6) open.pop_back();
      EXPECT_TRUE(open.empty() || end <= open.back() + 1e-6)
          << row.first << ":" << row.second << " at " << begin;
      open.push_back(end);
    }
  }
}

class TimeTrace : public ::testing::Test {
 protected:
  TimeTrace() {
    run_.step(0, 1000, 90'000);
    run_.phase("forward", STRATA_PHASE_FORWARD, 1000, 30'000);
    const auto module = run_.module("layers.0", 2000, 20'000);
    mm_ = run_.op("aten::mm \"quoted\"\\\n",
                  {.begin_ns = 3000, .end_ns = 9000, .module = module, .autograd_sequence = 3});
    run_.phase("backward", STRATA_PHASE_BACKWARD, 30'000, 80'000);
    run_.op("MmBackward0", {.begin_ns = 40'000,
                            .end_ns = 50'000,
                            .thread = TimedRun::kAutograd,
                            .kind = STRATA_OP_BACKWARD,
                            .autograd_sequence = 3});
    correlation_ = run_.call("cudaLaunchKernel", 4000, 5000);
    analysis::ActivityRow& kernel =
        run_.device(STRATA_ACTIVITY_KERNEL, 6000, 12'000, correlation_, "_Z4gemmv");
    kernel.stream = 7;
    kernel.op = mm_;
  }
  TimedRun run_;
  std::uint64_t mm_ = 0, correlation_ = 0;
};

TEST_F(TimeTrace, HasTheFormOfTorchProfilers) {
  const Json trace = trace_of(run_);
  expect_nesting(trace);
  EXPECT_EQ(trace["schemaVersion"], 1);
  EXPECT_EQ(trace["distributedInfo"]["rank"], 0);
  const Json ops = with_category(trace, "cpu_op");
  ASSERT_EQ(ops.size(), 2u);
  const Json& mm = ops[0]["name"] == "MmBackward0" ? ops[1] : ops[0];
  EXPECT_EQ(mm["name"], "aten::mm \"quoted\"\\\n");
  EXPECT_EQ(mm["pid"], 4242);
  EXPECT_EQ(mm["tid"], TimedRun::kDriver);
  EXPECT_EQ(mm["dur"], 6.0);
  EXPECT_EQ(mm["args"]["module"], "layers.0");
  const Json calls = with_category(trace, "cuda_runtime"), kernels = with_category(trace, "kernel");
  ASSERT_EQ(calls.size(), 1u);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(calls[0]["args"]["correlation"], correlation_);
  EXPECT_EQ(kernels[0]["args"]["correlation"], correlation_);
  EXPECT_EQ(kernels[0]["args"]["External id"], mm["args"]["External id"]);
  EXPECT_EQ(kernels[0]["args"]["stream"], 7);
  EXPECT_EQ(kernels[0]["name"], "gemm()");
  EXPECT_EQ(kernels[0]["pid"], 0);
  EXPECT_EQ(kernels[0]["tid"], 7);
  std::set<std::string> annotations;
  for (const Json& event : with_category(trace, "user_annotation")) annotations.insert(event["name"]);
  EXPECT_EQ(annotations, (std::set<std::string>{"ProfilerStep#0", "forward", "backward", "layers.0"}));
}

TEST_F(TimeTrace, DrawsArrowsFromCallsAndForwardOperators) {
  const Json trace = trace_of(run_);
  for (const char* const flow : {"ac2g", "fwdbwd"}) {
    const Json begins = with_category(trace, flow, "s"), ends = with_category(trace, flow, "f");
    ASSERT_EQ(begins.size(), 1u) << flow;
    ASSERT_EQ(ends.size(), 1u) << flow;
    EXPECT_EQ(begins[0]["id"], ends[0]["id"]);
    EXPECT_LE(begins[0]["ts"].get<double>(), ends[0]["ts"].get<double>());
    EXPECT_EQ(ends[0]["bp"], "e");
  }
}

TEST_F(TimeTrace, KeepsTheMemorysTracks) {
  std::set<std::string> names;
  const Json trace = trace_of(run_);
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == "M" && event["name"] == "thread_name") names.insert(event["args"]["name"]);
  EXPECT_TRUE(names.contains("largest allocations"));
  EXPECT_EQ(with_category(trace, "step").size(), 1u);
}

TEST_F(TimeTrace, PutsKernelsThatOverlapBesideEachOther) {
  for (std::int64_t at = 0; at < 3; ++at)
    run_.device(STRATA_ACTIVITY_KERNEL, 6500 + at * 1000, 12'000 + at * 3000, 0, "k").stream = 7;
  const Json trace = trace_of(run_);
  expect_nesting(trace);
  double sum = 0;
  std::set<std::uint64_t> rows;
  for (const Json& event : with_category(trace, "kernel")) {
    sum += event["dur"].get<double>();
    rows.insert(event["tid"].get<std::uint64_t>());
    EXPECT_EQ(event["args"]["stream"], 7);
  }
  EXPECT_DOUBLE_EQ(sum, 6.0 + 5.5 + 7.5 + 9.5) << "no kernel is cut";
  EXPECT_EQ(rows.size(), 4u);
}

TEST_F(TimeTrace, CutsACallThatCrossesAnOperatorAndNoOperator) {
  run_.call("cudaMalloc", 2900, 3500);  // begins before the operator, by its own clock, and ends in it
  const Json trace = trace_of(run_);
  expect_nesting(trace);
  for (const Json& op : with_category(trace, "cpu_op"))
    if (op["name"] != "MmBackward0") {
      EXPECT_EQ(op["dur"], 6.0);
    }
}

TEST_F(TimeTrace, NestsWhateverItIsGiven) {
  std::mt19937_64 random(3);
  const auto draw = [&](std::uint64_t below) { return std::int64_t(random() % below); };
  for (int row = 0; row < 500; ++row) {
    const std::int64_t begin = 1000 + draw(80'000), end = begin + draw(20'000);
    run_.op("aten::o", {.begin_ns = begin,
                        .end_ns = end,
                        .parent = std::uint64_t(draw(600)),
                        .thread = std::uint32_t(100 + draw(3))});
    run_.call("c", begin + draw(50), end + draw(50), true, std::uint32_t(100 + draw(3)));
    run_.device(std::uint32_t(1 + draw(10)), begin, end + draw(9000), std::uint64_t(draw(500)), "k").stream =
        std::uint64_t(draw(3));
  }
  expect_nesting(trace_of(run_));
}

TEST_F(TimeTrace, OfADryDeviceSaysThatItIsModelled) {
  run_.recording().time.activities.back().modelled = true;
  const Json trace = trace_of(run_);
  EXPECT_EQ(with_category(trace, "kernel").at(0)["args"]["modelled"], true);
  bool said = false;
  for (const Json& event : trace["traceEvents"])
    said |= event["name"] == "process_name" &&
            event["args"]["name"].get<std::string>().find("nothing was measured") != std::string::npos;
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace strata::exports
