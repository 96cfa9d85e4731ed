// SPDX-License-Identifier: Apache-2.0
// The source's samples in addition to the allocator's blocks, and its reports of operators' results.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sources/torch/memory_counts/process_memory.hpp"
#include "tests/sources_torch/traced_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using Options = std::map<std::string, std::string>;

// The layout of sources/torch/memory_counts/memory_samples.hpp.
struct ProcessRow {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t resident_bytes;
  std::uint64_t peak_resident_bytes;
};

// The layout of sources/torch/ops/layer_outputs.cpp.
struct OutputRow {
  std::int64_t monotonic_ns;
  std::uint64_t output_bytes;
  std::uint32_t thread;
  std::uint32_t name;
};

std::string file_of(const TemporaryFolder& folder, const char* name, const std::string& text) {
  const std::filesystem::path path = folder.path() / name;
  std::ofstream(path) << text;
  return path.string();
}

TEST(ProcessMemory, IsThatOfTheKernel) {
  const std::uint64_t before = torch_source::resident_bytes().value();
  EXPECT_GT(before, std::uint64_t{1} << 20);
  const std::vector<char> touched(std::size_t{64} << 20, 'x');
  EXPECT_EQ(touched.back(), 'x');
  EXPECT_GE(torch_source::resident_bytes().value(), before + (std::uint64_t{60} << 20));
  EXPECT_GE(torch_source::peak_resident_bytes().value(), before + (std::uint64_t{60} << 20));
}

TEST(ProcessMemory, IsUnknownWhereTheFileSaysNothing) {
  const TemporaryFolder folder;
  EXPECT_FALSE(torch_source::resident_bytes("/proc/none").has_value());
  EXPECT_FALSE(torch_source::peak_resident_bytes("/proc/none").has_value());
  for (const char* text : {"", "12", "12 ", "12 x 3", "-1", " "}) {
    EXPECT_FALSE(torch_source::resident_bytes(file_of(folder, "statm", text).c_str()).has_value()) << text;
  }
  for (const char* text : {"", "VmRSS: 3 kB", "VmHWM:", "VmHWM:\tmany kB"}) {
    EXPECT_FALSE(torch_source::peak_resident_bytes(file_of(folder, "status", text).c_str()).has_value())
        << text;
  }
  EXPECT_EQ(torch_source::peak_resident_bytes(file_of(folder, "status", "A: 1\nVmHWM:\t   7 kB\n").c_str()),
            7168u);
}

// A step begins right after the previous one ends: the values read there are reused, but only briefly.
TEST(MemorySamples, AreReadAnewWhereTimeHasPassed) {
  TracedRun run;
  run.host().begin_step(0);
  const std::vector<char> touched(std::size_t{64} << 20, 'x');
  EXPECT_EQ(touched.back(), 'x');
  for (std::uint64_t step = 1; step < 2'000; ++step) run.host().begin_step(step);
  run.end();
  const std::vector<ProcessRow> rows = run.host().rows<ProcessRow>("process_memory");
  ASSERT_EQ(rows.size(), 2'002u);
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &ProcessRow::sequence));
  EXPECT_GE(rows.back().peak_resident_bytes, rows[1].resident_bytes + (std::uint64_t{60} << 20))
      << "a chain of moments, each soon after the last, would never be read again";
}

TEST(MemorySamples, AreTakenWhereTheRunAndStepsBeginAndEnd) {
  TracedRun run;
  run.host().begin_step(0);
  run.end();
  const std::vector<ProcessRow> rows = run.host().rows<ProcessRow>("process_memory");
  ASSERT_EQ(rows.size(), 3u) << "the run's begin, the step's, the run's end";
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &ProcessRow::sequence));
  for (const ProcessRow& row : rows) {
    EXPECT_GT(row.sequence, 0u);
    EXPECT_GT(row.resident_bytes, 0u);
    EXPECT_GT(row.peak_resident_bytes, 0u);
  }
}

TEST(MemorySamples, OfDevicesAreNoneWithoutCuda) {
  TracedRun run(Options{{"cross_check", "true"}});
  run.host().begin_step(0);
  run.end();
  EXPECT_TRUE(run.host().rows<char>("device_memory").empty());
  EXPECT_TRUE(run.host().rows<char>("device_stats").empty());
}

TEST(MemorySamples, AreNoneWhereNobodyWantsThem) {
  TracedRun run(Options{{"memory_samples", "none"}});
  run.end();
  EXPECT_THROW(run.host().rows<ProcessRow>("process_memory"), std::exception);
}

TEST(LayerOutputs, AreOfTheFirstActiveStepAndOfOutermostOperators) {
  TracedRun run(Options{{"layer_outputs", "true"}});
  const torch::Tensor weight = torch::ones({4, 8}), bias = torch::ones({4});
  const torch::Tensor input = torch::ones({2, 8});
  run.host().begin_step(0, STRATA_STEP_WARMUP);
  torch::linear(input, weight, bias);
  EXPECT_TRUE(run.host().rows<OutputRow>("layer_output").empty());
  run.host().begin_step(1);
  torch::linear(input, weight, bias);
  run.end();
  const std::vector<OutputRow> rows = run.host().rows<OutputRow>("layer_output");
  ASSERT_EQ(rows.size(), 1u) << "aten::linear, and not the aten::addmm that it calls";
  EXPECT_EQ(rows.front().output_bytes, 2 * 4 * sizeof(float));
  torch::linear(input, weight, bias);
  EXPECT_EQ(run.host().rows<OutputRow>("layer_output").size(), 1u) << "nothing after the run";
}

}  // namespace
}  // namespace strata::test
