// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/device_choice.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "host/analysis/allocator/cuda_allocator.hpp"
#include "host/analysis/allocator/other_memory.hpp"
#include "host/analysis/analyse.hpp"
#include "host/analysis/reading/run_reader.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "strata/ext/memory.h"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

using test::TemporaryFolder;
using testing::run_sql;
using testing::write_store;

constexpr Device kCpu{STRATA_DEVICE_CPU, 0}, kPinned{STRATA_DEVICE_CUDA_HOST, 0};

Device cuda(std::int32_t index) {
  return {STRATA_DEVICE_CUDA, index};
}

MemoryRow allocation(const Device& device, std::uint64_t address, std::uint64_t bytes) {
  MemoryRow row;
  row.action = STRATA_MEMORY_ALLOCATE;
  row.device = device;
  row.address = address;
  row.bytes = bytes;
  return row;
}

std::string refusal(const std::vector<MemoryRow>& events, const std::string& name) {
  try {
    (void)choose_device(events, name);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(DeviceChoice, IsTheCudaDeviceThatWasUsedMost) {
  const std::vector<MemoryRow> events{allocation(kCpu, 1, 900), allocation(cuda(0), 2, 10),
                                      allocation(cuda(1), 3, 50), allocation(cuda(2), 4, 50),
                                      allocation(kPinned, 5, 900)};
  EXPECT_EQ(choose_device(events, ""), cuda(1));
  EXPECT_EQ(choose_device({events[0], events[4]}, ""), kCpu);
  EXPECT_EQ(choose_device({events[0], events[1]}, ""), cuda(0));
}

TEST(DeviceChoice, IsWhatWasAskedFor) {
  const std::vector<MemoryRow> events{allocation(kCpu, 1, 9), allocation(cuda(0), 2, 10),
                                      allocation(cuda(11), 3, 5), allocation(kPinned, 5, 9)};
  EXPECT_EQ(choose_device(events, "cpu"), kCpu);
  EXPECT_EQ(choose_device(events, "pinned"), kPinned);
  EXPECT_EQ(choose_device(events, "cuda:11"), cuda(11));
}

TEST(DeviceChoice, OfAnotherNameNamesThoseThatThereAre) {
  const std::vector<MemoryRow> events{allocation(kCpu, 1, 9), allocation(cuda(0), 2, 10)};
  for (const char* const name : {"cuda:1", "cuda", "CPU", "0", "cuda:00", "../cpu", "cuda:-1", " cpu"})
    EXPECT_EQ(refusal(events, name),
              "it recorded no memory of '" + std::string(name) + "', only of cpu, cuda:0");
}

// A tensor in pinned memory has the device "cpu".
TEST(DeviceChoice, TellsPinnedTensorsByWhereTheyLie) {
  const std::vector<MemoryRow> events{allocation(kCpu, 0x10, 9), allocation(kPinned, 0x20, 9),
                                      allocation(cuda(0), 0x30, 9)};
  Recording all;
  for (const auto& [device, address] : {std::pair(kCpu, 0x10), {kCpu, 0x20}, {cuda(0), 0x30}, {kCpu, 0x40}}) {
    TensorRow tensor;
    tensor.device = device;
    tensor.address = static_cast<std::uint64_t>(address);
    all.tensors.push_back(tensor);
  }
  const auto kept = [&](const Device& device) {
    Recording run = all;
    run.device = device;
    keep_tensors_of_device(events, run);
    std::vector<std::uint64_t> addresses;
    for (const TensorRow& tensor : run.tensors) addresses.push_back(tensor.address);
    return addresses;
  };
  EXPECT_EQ(kept(kCpu), (std::vector<std::uint64_t>{0x10, 0x40}));
  EXPECT_EQ(kept(kPinned), (std::vector<std::uint64_t>{0x20}));
  EXPECT_EQ(kept(cuda(0)), (std::vector<std::uint64_t>{0x30}));
}

TEST(DeviceChoice, OfAStore) {
  TemporaryFolder directory;
  const auto store = write_store(directory.path(), testing::make_training_run({.steps = 1}).recording);
  run_sql(store,
          "INSERT INTO allocator_tracer_event VALUES (900000000, 1, 1, 1, 3, 0, 64, 4096, 0, 0, 0, 0, 0, 0);"
          "INSERT INTO allocator_tracer_event VALUES (900000001, 1, 1, 2, 3, 0, 64, 0, 0, 0, 0, 0, 0, 0)");
  const Facts whole = analyse(directory.path());
  EXPECT_EQ(whole.device, "cpu");
  ASSERT_EQ(whole.other_memory.size(), 1u);
  const Facts pinned = analyse(directory.path(), {}, "pinned");
  EXPECT_EQ(pinned.device, "pinned");
  EXPECT_EQ(pinned.points.size(), 2u);
  EXPECT_EQ(pinned.other_memory.at(0).device, "cpu");
  try {
    (void)read_run(directory.path(), {}, ReadingDetail::kReport, "cuda:0");
    FAIL();
  } catch (const RunError& error) {
    EXPECT_NE(std::string(error.what()).find("it recorded no memory of 'cuda:0', only of cpu, pinned"),
              std::string::npos);
  }
}

TEST(CudaAllocator, LeavesUnknownWhatTorchsOwnTells) {
  EXPECT_FALSE(leaves_unknown({}));
  EXPECT_FALSE(leaves_unknown({"native", CudaTracing::kItself}));
  for (const CudaTracing tracing : {CudaTracing::kCounted, CudaTracing::kUncounted, CudaTracing::kRefused})
    EXPECT_TRUE(leaves_unknown({"odd", tracing}));
  EXPECT_EQ(cuda_tracing(2), CudaTracing::kCounted);
  EXPECT_EQ(cuda_tracing(77), CudaTracing::kUnknown);
}

}  // namespace
}  // namespace strata::analysis
