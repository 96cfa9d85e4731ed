// SPDX-License-Identifier: Apache-2.0
// Memory content after transfers: known if this rank's own bytes determine it, because its peers are
// identical.
#include <nccl.h>

#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

class NcclContents : public DryDevices {
 protected:
  static constexpr int kRanks = 4, kRank = 1;

  void SetUp() override {
    DryDevices::SetUp();
    ncclUniqueId id;
    ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
    ASSERT_EQ(ncclCommInitRank(&communicator_, kRanks, id, kRank), ncclSuccess);
    send_ = allocate(kMiB);
    receive_ = allocate(kMiB);
  }
  void TearDown() override {
    EXPECT_EQ(ncclCommDestroy(communicator_), ncclSuccess);
    EXPECT_EQ(cudaFree(send_), cudaSuccess);
    EXPECT_EQ(cudaFree(receive_), cudaSuccess);
  }

  template <typename Number>
  void upload(const std::vector<Number>& numbers) {
    EXPECT_EQ(cudaMemcpy(send_, numbers.data(), std::span(numbers).size_bytes(), cudaMemcpyHostToDevice),
              cudaSuccess);
  }
  // The content of `receive_`; empty: unknown.
  template <typename Number>
  std::vector<Number> read(std::size_t count) {
    std::vector<Number> numbers(count);
    const std::uint64_t before = strata_dry_gpu_count().unknown_reads;
    EXPECT_EQ(cudaMemcpy(numbers.data(), receive_, std::span(numbers).size_bytes(), cudaMemcpyDeviceToHost),
              cudaSuccess);
    if (strata_dry_gpu_count().unknown_reads != before) numbers.clear();
    return numbers;
  }

  template <typename Number>
  std::vector<Number> reduce_all(const std::vector<Number>& numbers, ncclDataType_t type,
                                 ncclRedOp_t operation) {
    upload(numbers);
    EXPECT_EQ(ncclAllReduce(send_, receive_, numbers.size(), type, operation, communicator_, nullptr),
              ncclSuccess);
    return read<Number>(numbers.size());
  }

  using Integers = std::vector<std::int64_t>;

  ncclComm_t communicator_ = nullptr;
  std::byte* send_ = nullptr;
  std::byte* receive_ = nullptr;
};

TEST_F(NcclContents, ABroadcastFromThisRankKeepsThem) {
  upload(Integers{5, 6});
  EXPECT_EQ(ncclBroadcast(send_, receive_, 2, ncclInt64, kRank, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(2), (Integers{5, 6}));
}

TEST_F(NcclContents, ABroadcastFromAnotherRankIsWhatThisOneHoldsThere) {
  EXPECT_EQ(ncclBroadcast(send_, receive_, 1, ncclInt64, 0, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(1), Integers{}) << "this rank holds nothing";
  upload(Integers{7});
  EXPECT_EQ(ncclBroadcast(send_, receive_, 1, ncclInt64, 0, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(1), Integers{}) << "in another buffer";
  upload(Integers{7});
  EXPECT_EQ(ncclBcast(send_, 1, ncclInt64, 0, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(ncclBroadcast(send_, receive_, 1, ncclInt64, kRank, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(1), Integers{7}) << "in the same one";
}

TEST_F(NcclContents, EachRankGathersTheSame) {
  upload(Integers{5, 6});
  EXPECT_EQ(ncclAllGather(send_, receive_, 2, ncclInt64, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(8), (Integers{5, 6, 5, 6, 5, 6, 5, 6}));
  EXPECT_EQ(read<std::int64_t>(9), Integers{}) << "one more than was received";
}

TEST_F(NcclContents, ASumOverEqualRanksIsAProduct) {
  EXPECT_EQ(reduce_all<std::int64_t>({5, -6}, ncclInt64, ncclSum), (Integers{20, -24}));
  EXPECT_EQ(reduce_all<std::int64_t>({5, -6}, ncclInt64, ncclProd), (Integers{625, 1296}));
  EXPECT_EQ(reduce_all<std::int64_t>({5, -6}, ncclInt64, ncclMax), (Integers{5, -6}));
  EXPECT_EQ(reduce_all<std::int64_t>({5, -6}, ncclInt64, ncclAvg), (Integers{5, -6}));
  EXPECT_EQ(reduce_all<std::uint8_t>({100}, ncclUint8, ncclSum), (std::vector<std::uint8_t>{400 - 256}));
  EXPECT_EQ(reduce_all<std::uint16_t>({1}, ncclBfloat16, ncclSum), (std::vector<std::uint16_t>{}))
      << "not worked out";
  EXPECT_EQ(reduce_all<std::uint16_t>({1}, ncclBfloat16, ncclMin), (std::vector<std::uint16_t>{1}));
}

TEST_F(NcclContents, AnAverageOfIntegersIsKnownWhereTheirSumFits) {
  EXPECT_EQ(reduce_all<std::int8_t>({31, -32}, ncclInt8, ncclAvg), (std::vector<std::int8_t>{31, -32}));
  EXPECT_EQ(reduce_all<std::int8_t>({32}, ncclInt8, ncclAvg), (std::vector<std::int8_t>{}));
  EXPECT_EQ(reduce_all<std::uint8_t>({32}, ncclUint8, ncclAvg), (std::vector<std::uint8_t>{32}));
  EXPECT_EQ(reduce_all<std::uint8_t>({64}, ncclUint8, ncclAvg), (std::vector<std::uint8_t>{}));
}

// The order of NCCL's additions is unknown: a sum is known only if no order rounds it.
TEST_F(NcclContents, WhatACardMayRoundIsUnknown) {
  using Floats = std::vector<float>;
  using Doubles = std::vector<double>;
  constexpr float kMost = std::numeric_limits<float>::max(),
                  kLeast = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(reduce_all<float>({1.5F, -7, 0}, ncclFloat32, ncclSum), (Floats{6, -28, 0}));
  EXPECT_EQ(reduce_all<float>({1.5F, 0.1F}, ncclFloat32, ncclSum), Floats{}) << "three of 0.1 are rounded";
  EXPECT_EQ(reduce_all<double>({0x1FFFFF0000001p0}, ncclFloat64, ncclSum), Doubles{0x7FFFFC0000004p0});
  EXPECT_EQ(reduce_all<double>({0.1}, ncclFloat64, ncclSum), Doubles{});
  EXPECT_EQ(reduce_all<float>({kMost}, ncclFloat32, ncclSum), Floats{});
  EXPECT_EQ(reduce_all<float>({1.5F, 0}, ncclFloat32, ncclAvg), (Floats{1.5F, 0}));
  EXPECT_EQ(reduce_all<float>({0.1F}, ncclFloat32, ncclAvg), Floats{});
  EXPECT_EQ(reduce_all<float>({kLeast}, ncclFloat32, ncclAvg), Floats{}) << "a quarter of it is none";
  EXPECT_EQ(reduce_all<float>({0.1F, kMost}, ncclFloat32, ncclMax), (Floats{0.1F, kMost}));
  EXPECT_EQ(reduce_all<double>({-0.5}, ncclFloat64, ncclProd), Doubles{});
  EXPECT_EQ(reduce_all<std::uint16_t>({0x3FC0}, ncclBfloat16, ncclAvg), (std::vector<std::uint16_t>{}));

  ncclRedOp_t halved{};
  double half = 0.5;
  ASSERT_EQ(ncclRedOpCreatePreMulSum(&halved, &half, ncclFloat64, ncclScalarHostImmediate, communicator_),
            ncclSuccess);
  EXPECT_EQ(reduce_all<double>({1}, ncclFloat64, halved), Doubles{});

  // A third of a number is rounded.
  ncclComm_t three = nullptr;
  int gone = 0;
  ASSERT_EQ(ncclCommShrink(communicator_, &gone, 1, &three, nullptr, NCCL_SHRINK_DEFAULT), ncclSuccess);
  std::swap(communicator_, three);
  EXPECT_EQ(reduce_all<float>({1.5F}, ncclFloat32, ncclSum), Floats{4.5F});
  EXPECT_EQ(reduce_all<float>({1.5F}, ncclFloat32, ncclAvg), Floats{});
  EXPECT_EQ(reduce_all<float>({0}, ncclFloat32, ncclAvg), Floats{0});
  std::swap(communicator_, three);
  EXPECT_EQ(ncclCommDestroy(three), ncclSuccess);
}

TEST_F(NcclContents, EachRankHasItsOwnPart) {
  upload(Integers{1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(ncclReduceScatter(send_, receive_, 2, ncclInt64, ncclSum, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(2), (Integers{12, 16}));
  upload(Integers{1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(ncclAlltoAll(send_, receive_, 2, ncclInt64, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(8), (Integers{3, 4, 3, 4, 3, 4, 3, 4}));
  upload(Integers{1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(ncclScatter(send_, receive_, 2, ncclInt64, kRank, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(2), (Integers{3, 4}));
  upload(Integers{9});
  EXPECT_EQ(ncclGather(send_, receive_, 1, ncclInt64, kRank, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(4), (Integers{9, 9, 9, 9}));
}

TEST_F(NcclContents, WhatARankSendsItselfArrives) {
  upload(Integers{5, 6});
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclSend(send_, 1, ncclInt64, 0, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(ncclRecv(receive_ + 8, 1, ncclInt64, 0, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(ncclSend(send_ + 8, 1, ncclInt64, kRank, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(ncclRecv(receive_, 1, ncclInt64, kRank, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(1), Integers{6});
  EXPECT_EQ(read<std::int64_t>(2), Integers{}) << "the second is another rank's";
}

TEST_F(NcclContents, AnAllToAllOfSingleTransfersIsOneOfPeersThatDoTheSame) {
  int ranks = 0;
  ASSERT_EQ(ncclCommCount(communicator_, &ranks), ncclSuccess);
  Integers sent(static_cast<std::size_t>(ranks));
  std::iota(sent.begin(), sent.end(), 10);
  upload(sent);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int peer = 0; peer < ranks; ++peer) {
    EXPECT_EQ(ncclSend(send_ + 8 * peer, 1, ncclInt64, peer, communicator_, nullptr), ncclSuccess);
    EXPECT_EQ(ncclRecv(receive_ + 8 * peer, 1, ncclInt64, peer, communicator_, nullptr), ncclSuccess);
  }
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  const auto count = static_cast<std::size_t>(ranks);
  EXPECT_EQ(read<std::int64_t>(count), Integers(count, 10 + kRank));
}

TEST_F(NcclContents, WhatIsUnknownStaysUnknown) {
  upload(Integers{5});
  EXPECT_EQ(ncclAllGather(send_, receive_, 2, ncclInt64, communicator_, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(1), Integers{}) << "half of it was not uploaded";
  ncclComm_t split = nullptr;
  ASSERT_EQ(ncclCommSplit(communicator_, 0, 0, &split, nullptr), ncclSuccess);
  upload(Integers{5});
  EXPECT_EQ(ncclAllReduce(send_, receive_, 1, ncclInt64, ncclSum, split, nullptr), ncclSuccess);
  EXPECT_EQ(read<std::int64_t>(1), Integers{}) << "of how many ranks?";
  EXPECT_EQ(ncclCommDestroy(split), ncclSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu
