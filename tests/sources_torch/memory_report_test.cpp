// SPDX-License-Identifier: Apache-2.0
// The invariant, checked against c10's own memory reporting: after every event, our sum of live bytes equals
// c10's.
#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

const std::map<std::string, std::string> kCrossCheck{{"cross_check", "true"}};

// The layout of sources/torch/memory_counts/memory_report.cpp.
struct ReportRow {
  std::uint64_t sequence;
  std::uint64_t address;
  std::int64_t bytes;
  std::uint64_t allocated_bytes;
  std::uint32_t thread;
  std::uint32_t device_type;
  std::uint32_t device_index;
  std::uint32_t reserved;
};

// Our sum of live bytes after each event, by sequence.
std::map<std::uint64_t, std::uint64_t> live_bytes(const std::vector<MemoryRecord>& records) {
  LiveBlocks live;
  std::map<std::uint64_t, std::uint64_t> result;
  for (const MemoryRecord& record : records) {
    live.apply(record.event);
    result[record.sequence] = live.bytes();
  }
  return result;
}

void train_a_little() {
  torch::nn::Sequential model(torch::nn::Linear(32, 64), torch::nn::GELU(), torch::nn::Linear(64, 8));
  torch::optim::AdamW optimizer(model->parameters());
  for (int step = 0; step < 4; ++step) {
    optimizer.zero_grad();
    torch::cross_entropy_loss(model->forward(torch::randn({16, 32})), torch::arange(16) % 8).backward();
    optimizer.step();
  }
}

TEST(MemoryReport, AgreesWithEveryEvent) {
  TracedRun run(kCrossCheck);
  train_a_little();
  const std::vector<MemoryRecord> events = run.host().memory();
  const std::map<std::uint64_t, std::uint64_t> ours = live_bytes(events);
  const std::vector<ReportRow> reports = run.host().rows<ReportRow>("memory_report");
  EXPECT_GT(events.size(), 400u);
  ASSERT_EQ(reports.size(), events.size());
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].sequence, events[i].sequence);
    EXPECT_EQ(reports[i].address, events[i].event.address);
    EXPECT_EQ(reports[i].bytes > 0, events[i].event.action == STRATA_MEMORY_ALLOCATE);
    EXPECT_EQ(reports[i].allocated_bytes, ours.at(reports[i].sequence)) << "after event " << i;
  }
}

TEST(MemoryReport, CountsThreadsThatItDoesNotHear) {
  TracedRun run(kCrossCheck);
  torch::Tensor made_there;
  std::thread([&] { made_there = torch::empty({1000}); }).join();
  const torch::Tensor made_here = torch::empty({10});
  made_there.reset();
  const std::map<std::uint64_t, std::uint64_t> ours = live_bytes(run.host().memory());
  const std::vector<ReportRow> reports = run.host().rows<ReportRow>("memory_report");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].allocated_bytes, 4040u);
  EXPECT_EQ(reports[1].allocated_bytes, 40u);
  for (const ReportRow& report : reports) EXPECT_EQ(report.allocated_bytes, ours.at(report.sequence));
}

TEST(MemoryReport, ShowsABlockThatTheSourceDidNotSee) {
  TracedRun run(kCrossCheck);
  { const c10::DataPtr behind_our_back = c10::GetDefaultCPUAllocator()->allocate(256); }
  EXPECT_TRUE(run.host().memory().empty());
  const std::vector<ReportRow> reports = run.host().rows<ReportRow>("memory_report");
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_EQ(reports[0].sequence, 0u);
  EXPECT_EQ(reports[0].bytes, 256);
  EXPECT_EQ(reports[1].sequence, 0u);
  EXPECT_EQ(reports[1].bytes, -256);
}

TEST(MemoryReport, LeavesC10AsItWas) {
  ASSERT_FALSE(c10::memoryProfilingEnabled());
  {
    TracedRun run(kCrossCheck);
    EXPECT_TRUE(c10::memoryProfilingEnabled());
    EXPECT_TRUE(FLAGS_caffe2_report_cpu_memory_usage);
  }
  EXPECT_FALSE(c10::memoryProfilingEnabled());
  EXPECT_FALSE(FLAGS_caffe2_report_cpu_memory_usage);
}

}  // namespace
}  // namespace strata::test
