// SPDX-License-Identifier: Apache-2.0
// NCCL: communicators that are one rank of many, groups, and transfers as the host sees them.
#include <dlfcn.h>
#include <nccl.h>

#include <climits>
#include <cstring>
#include <string>
#include <vector>

#include "tests/dry_gpu/nccl_rank.hpp"

namespace strata::dry_gpu {
namespace {

std::uint64_t done() {
  return strata_dry_gpu_count().library_calls;
}

TEST_F(Nccl, ACommunicatorIsOneRankOfMany) {
  int value = 0;
  EXPECT_EQ(ncclCommCount(communicator_, &value), ncclSuccess);
  EXPECT_EQ(value, kRanks);
  EXPECT_EQ(ncclCommUserRank(communicator_, &value), ncclSuccess);
  EXPECT_EQ(value, kRank);
  EXPECT_EQ(ncclCommCuDevice(communicator_, &value), ncclSuccess);
  EXPECT_EQ(value, 0);
  ncclResult_t error = ncclInternalError;
  EXPECT_EQ(ncclCommGetAsyncError(communicator_, &error), ncclSuccess);
  EXPECT_EQ(error, ncclSuccess);
  EXPECT_EQ(ncclCommCount(nullptr, &value), ncclInvalidArgument);
  EXPECT_EQ(ncclCommCount(communicator_, nullptr), ncclInvalidArgument);
}

TEST_F(Nccl, RanksAndConfigurationsAreChecked) {
  ncclUniqueId first;
  ncclUniqueId second;
  ASSERT_EQ(ncclGetUniqueId(&first), ncclSuccess);
  ASSERT_EQ(ncclGetUniqueId(&second), ncclSuccess);
  EXPECT_NE(std::memcmp(&first, &second, sizeof first), 0);
  EXPECT_EQ(ncclGetUniqueId(nullptr), ncclInvalidArgument);

  ncclComm_t made = communicator_;
  EXPECT_EQ(ncclCommInitRank(&made, 2, first, 2), ncclInvalidArgument);
  EXPECT_EQ(made, nullptr);
  EXPECT_STREQ(ncclGetLastError(nullptr), "Invalid rank requested : 2/2");
  EXPECT_EQ(ncclCommInitRank(&made, 0, first, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&made, 2, first, -1), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(nullptr, 2, first, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRankScalable(&made, 2, 0, 3, &first, nullptr), ncclInvalidArgument);

  ncclConfig_t config{};
  EXPECT_EQ(ncclCommInitRankConfig(&made, 2, first, 0, &config), ncclInvalidArgument) << "not initialised";
  config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 2;
  EXPECT_EQ(ncclCommInitRankConfig(&made, 2, first, 0, &config), ncclInvalidArgument);
  config.blocking = 0;
  const std::uint64_t before = strata_dry_gpu_count().communicators;
  ASSERT_EQ(ncclCommInitRankConfig(&made, 2, first, 1, &config), ncclSuccess);
  EXPECT_EQ(strata_dry_gpu_count().communicators - before, 1u);

  // A non-blocking communicator keeps its errors.
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclNumTypes, ncclSum, made, stream_), ncclInvalidArgument);
  ncclResult_t error = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(made, &error), ncclSuccess);
  EXPECT_EQ(error, ncclInvalidArgument);
  EXPECT_EQ(ncclCommAbort(made), ncclSuccess);
}

TEST_F(Nccl, ACommunicatorEnds) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t made = nullptr;
  ASSERT_EQ(ncclCommInitRank(&made, 1, id, 0), ncclSuccess);
  EXPECT_EQ(ncclCommFinalize(made), ncclSuccess);
  EXPECT_EQ(ncclCommFinalize(made), ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclInt8, ncclSum, made, stream_), ncclInvalidUsage);
  EXPECT_EQ(ncclCommDestroy(made), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(made), ncclInvalidArgument);
  int value = 0;
  EXPECT_EQ(ncclCommCount(made, &value), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(nullptr), ncclSuccess);

  ASSERT_EQ(ncclCommInitRank(&made, 1, id, 0), ncclSuccess);
  EXPECT_EQ(ncclCommRevoke(made, 1), ncclInvalidArgument);
  EXPECT_EQ(ncclCommRevoke(made, NCCL_REVOKE_DEFAULT), ncclSuccess);
  EXPECT_EQ(ncclCommRevoke(made, NCCL_REVOKE_DEFAULT), ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclInt8, ncclSum, made, stream_), ncclInvalidUsage);
  EXPECT_EQ(ncclCommAbort(made), ncclSuccess);
}

TEST_F(Nccl, ACliqueOfOneProcessHasADeviceEach) {
  std::vector<ncclComm_t> clique(3);
  const std::vector<int> twice = {0, 1, 1};
  EXPECT_EQ(ncclCommInitAll(clique.data(), 3, twice.data()), ncclInvalidUsage);
  const std::vector<int> beyond = {0, 1, 8};
  EXPECT_EQ(ncclCommInitAll(clique.data(), 3, beyond.data()), ncclUnhandledCudaError);
  EXPECT_EQ(ncclCommInitAll(clique.data(), -1, nullptr), ncclInvalidArgument);
  const std::vector<int> devices = {4, 2, 0};
  ASSERT_EQ(ncclCommInitAll(clique.data(), 3, devices.data()), ncclSuccess);
  for (int rank = 0; rank < 3; ++rank) {
    ncclComm_t each = clique[static_cast<std::size_t>(rank)];
    int value = -1;
    EXPECT_EQ(ncclCommUserRank(each, &value), ncclSuccess);
    EXPECT_EQ(value, rank);
    EXPECT_EQ(ncclCommCuDevice(each, &value), ncclSuccess);
    EXPECT_EQ(value, devices[static_cast<std::size_t>(rank)]);
  }
  // Memory and streams must belong to the communicator's device, whichever is current.
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclInt8, ncclSum, clique[1], nullptr), ncclInvalidArgument);
  EXPECT_STREQ(ncclGetLastError(nullptr), "sendbuff allocated on device 0 mismatchs with NCCL device 2");
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 0, ncclInt8, ncclSum, clique[1], stream_),
            ncclUnhandledCudaError);
  for (ncclComm_t each : clique) EXPECT_EQ(ncclCommDestroy(each), ncclSuccess);
}

// Only the peers know which colour each rank chose, so the size of a split is not answered. The excluded
// ranks of a shrink are known.
TEST_F(Nccl, ASplitHasUnknownRanksAndAShrunkOneKnown) {
  ncclComm_t child = communicator_;
  EXPECT_EQ(ncclCommSplit(communicator_, NCCL_SPLIT_NOCOLOR, 0, &child, nullptr), ncclSuccess);
  EXPECT_EQ(child, nullptr);
  ASSERT_EQ(ncclCommSplit(communicator_, 5, 0, &child, nullptr), ncclSuccess);
  int value = 0;
  EXPECT_EQ(ncclCommCount(child, &value), ncclInvalidUsage);
  EXPECT_EQ(ncclCommUserRank(child, &value), ncclInvalidUsage);
  EXPECT_EQ(ncclAllGather(buffer_, buffer_, kMiB, ncclInt8, child, stream_), ncclSuccess);
  EXPECT_EQ(ncclBroadcast(buffer_, buffer_, 1, ncclInt8, kRanks, child, stream_), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(child), ncclSuccess);

  std::vector<int> excluded = {7, 0, 1};
  ASSERT_EQ(ncclCommShrink(communicator_, excluded.data(), 3, &child, nullptr, NCCL_SHRINK_DEFAULT),
            ncclSuccess);
  EXPECT_EQ(ncclCommCount(child, &value), ncclSuccess);
  EXPECT_EQ(value, kRanks - 3);
  EXPECT_EQ(ncclCommUserRank(child, &value), ncclSuccess);
  EXPECT_EQ(value, kRank - 2);
  EXPECT_EQ(ncclCommDestroy(child), ncclSuccess);
  excluded[1] = kRank;
  EXPECT_EQ(ncclCommShrink(communicator_, excluded.data(), 3, &child, nullptr, NCCL_SHRINK_DEFAULT),
            ncclInvalidArgument);
}

TEST_F(Nccl, TransfersTakeTheirPlaceAndComputeNothing) {
  const std::uint64_t before = done();
  const std::size_t used = used_bytes();
  const std::size_t part = kMiB / 4;  // of floats
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, part, ncclFloat32, ncclAvg, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclReduce(buffer_, nullptr, part, ncclFloat32, ncclMax, 0, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclBroadcast(nullptr, buffer_, part, ncclFloat32, 0, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclBcast(buffer_, part, ncclFloat32, kRank, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclAllGather(buffer_, buffer_, part, ncclFloat32, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclReduceScatter(buffer_, buffer_, part, ncclFloat32, ncclSum, communicator_, stream_),
            ncclSuccess);
  EXPECT_EQ(ncclAlltoAll(buffer_, buffer_, part, ncclFloat32, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclGather(buffer_, nullptr, part, ncclFloat32, 0, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclScatter(nullptr, buffer_, part, ncclFloat32, 0, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclSend(buffer_, part, ncclFloat32, 0, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclRecv(buffer_, part, ncclFloat32, 0, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(done() - before, 11u);
  EXPECT_EQ(reduce_all(nullptr, nullptr, 0), ncclSuccess);
  EXPECT_EQ(done() - before, 11u) << "nothing is started for no elements";
  EXPECT_EQ(used_bytes(), used);
}

TEST_F(Nccl, ArgumentsAreChecked) {
  const std::uint64_t before = done();
  EXPECT_EQ(ncclBroadcast(buffer_, buffer_, 1, ncclInt8, kRanks, communicator_, stream_),
            ncclInvalidArgument);
  EXPECT_EQ(ncclSend(buffer_, 1, ncclInt8, -1, communicator_, stream_), ncclInvalidArgument);
  EXPECT_EQ(ncclSend(buffer_, 1, ncclNumTypes, 0, communicator_, stream_), ncclInvalidArgument);
  EXPECT_EQ(reduce_all(buffer_, buffer_, 1, ncclNumOps), ncclInvalidArgument);
  std::vector<std::byte> pageable(1);
  EXPECT_EQ(reduce_all(pageable.data(), buffer_, 1), ncclInvalidArgument);
  EXPECT_EQ(reduce_all(buffer_, nullptr, 1), ncclInvalidArgument);
  EXPECT_EQ(reduce_all(buffer_, buffer_, kRanks * kMiB), ncclSuccess);
  EXPECT_EQ(reduce_all(buffer_, buffer_ + 1, kRanks * kMiB), ncclInvalidArgument) << "one byte beyond";
  EXPECT_EQ(ncclAllGather(buffer_, buffer_, kMiB + 1, ncclInt8, communicator_, stream_), ncclInvalidArgument);
  EXPECT_EQ(reduce_all(buffer_, buffer_, SIZE_MAX), ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclInt8, ncclSum, nullptr, stream_), ncclInvalidArgument);
  EXPECT_EQ(done() - before, 1u);

  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 1), cudaSuccess);
  *static_cast<char*>(pinned) = 7;
  EXPECT_EQ(reduce_all(pinned, pinned, 1), ncclSuccess);
  EXPECT_EQ(*static_cast<char*>(pinned), 7) << "no host memory is touched";
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(Nccl, BuffersAreWholeAndOfTheDevice) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t alone = nullptr;
  ASSERT_EQ(ncclCommInitRank(&alone, 1, id, 0), ncclSuccess);
  const auto reduce_alone = [&](void* buffer, std::size_t bytes) {
    return ncclAllReduce(buffer, buffer, bytes, ncclInt8, ncclSum, alone, stream_);
  };
  void* handle = nullptr;
  // The last byte's address would wrap around to the first's.
  EXPECT_EQ(reduce_alone(buffer_ + 2, SIZE_MAX), ncclInvalidArgument);
  EXPECT_EQ(ncclCommRegister(alone, buffer_ + 2, SIZE_MAX, &handle), ncclInvalidArgument);

  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  std::byte* const other = allocate(kMiB);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  const auto as_far_as_other = static_cast<std::size_t>(other - buffer_) + 1;
  EXPECT_EQ(reduce_alone(buffer_, as_far_as_other), ncclInvalidArgument);
  EXPECT_EQ(ncclCommRegister(alone, buffer_, as_far_as_other, &handle), ncclInvalidArgument);
  EXPECT_EQ(cudaFree(other), cudaSuccess);

  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 2), cudaSuccess);
  EXPECT_EQ(reduce_alone(static_cast<std::byte*>(pinned) + 1, 1), ncclSuccess);
  EXPECT_EQ(reduce_alone(static_cast<std::byte*>(pinned) + 1, 2), ncclInvalidArgument);
  EXPECT_EQ(reduce_alone(pinned, SIZE_MAX), ncclInvalidArgument);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(ncclCommDestroy(alone), ncclSuccess);
}

TEST_F(Nccl, OperatorsAreOfOneCommunicatorAndType) {
  float scalar = 2;
  ncclRedOp_t operation{};
  ASSERT_EQ(
      ncclRedOpCreatePreMulSum(&operation, &scalar, ncclFloat32, ncclScalarHostImmediate, communicator_),
      ncclSuccess);
  EXPECT_GE(operation, ncclNumOps);
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclFloat32, operation, communicator_, stream_), ncclSuccess);
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclFloat16, operation, communicator_, stream_),
            ncclInvalidArgument);
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t other = nullptr;
  ASSERT_EQ(ncclCommInitRank(&other, 2, id, 0), ncclSuccess);
  EXPECT_EQ(ncclAllReduce(buffer_, buffer_, 1, ncclFloat32, operation, other, stream_), ncclInvalidArgument);
  EXPECT_EQ(ncclRedOpDestroy(operation, other), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(other), ncclSuccess);
  EXPECT_EQ(ncclRedOpDestroy(ncclSum, communicator_), ncclInvalidArgument);
  EXPECT_EQ(ncclRedOpDestroy(operation, communicator_), ncclSuccess);
  EXPECT_EQ(ncclRedOpDestroy(operation, communicator_), ncclInvalidArgument);
}

TEST_F(Nccl, AGroupStartsWhenItsOutermostEnds) {
  const std::uint64_t before = done();
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage) << "there is none";
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int peer = 0; peer < kRanks; ++peer) {
    EXPECT_EQ(ncclSend(buffer_, 1, ncclInt8, peer, communicator_, stream_), ncclSuccess);
    EXPECT_EQ(ncclRecv(buffer_ + peer, 1, ncclInt8, peer, communicator_, stream_), ncclSuccess);
  }
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(done(), before);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(done() - before, 2u * kRanks);
}

TEST_F(Nccl, AGroupWithAnErrorStartsNothing) {
  const std::uint64_t before = done();
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(reduce_all(buffer_, buffer_, 1), ncclSuccess);
  EXPECT_EQ(ncclSend(buffer_, 1, ncclInt8, kRanks, communicator_, stream_), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
  EXPECT_EQ(done(), before);
  // The next group starts afresh.
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(reduce_all(buffer_, buffer_, 1), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(done() - before, 1u);

  EXPECT_EQ(ncclSend(buffer_, 1, ncclInt8, kRank, communicator_, stream_), ncclInvalidUsage)
      << "nobody receives it";
  EXPECT_EQ(ncclRecv(buffer_, 1, ncclInt8, kRank, communicator_, stream_), ncclInvalidUsage);
}

TEST_F(Nccl, ASimulatedGroupStartsNothingAndHasNoTime) {
  const std::uint64_t before = done();
  const std::uint64_t times = strata_dry_gpu_count().unknown_times;
  ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
  info.estimatedTime = 3;
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(reduce_all(buffer_, buffer_, 1), ncclSuccess);
  EXPECT_EQ(ncclGroupSimulateEnd(&info), ncclSuccess);
  EXPECT_EQ(info.estimatedTime, NCCL_UNDEF_FLOAT);
  EXPECT_EQ(done(), before);
  EXPECT_EQ(strata_dry_gpu_count().unknown_times - times, 1u);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage) << "it is over";
}

TEST_F(Nccl, AGraphKeepsTransfers) {
  const std::uint64_t before = done();
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(reduce_all(buffer_, buffer_, 1), ncclSuccess);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(reduce_all(buffer_, buffer_, 1), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
  EXPECT_EQ(done(), before);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2u);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  for (int launch = 0; launch < 3; ++launch) EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(done() - before, 6u);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);

  // A broken capture records nothing more.
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(reduce_all(buffer_, buffer_, 1), ncclUnhandledCudaError);
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Nccl, MemoryAndRegistrationsAreKept) {
  const std::size_t used = used_bytes();
  void* memory = nullptr;
  ASSERT_EQ(ncclMemAlloc(&memory, 1), ncclSuccess);
  EXPECT_EQ(used_bytes() - used, 2 * kMiB);
  void* handle = nullptr;
  EXPECT_EQ(ncclCommRegister(communicator_, memory, 2 * kMiB, &handle), ncclSuccess);
  EXPECT_NE(handle, nullptr);
  EXPECT_EQ(ncclCommDeregister(communicator_, handle), ncclSuccess);
  EXPECT_EQ(ncclCommDeregister(communicator_, handle), ncclInvalidUsage);
  EXPECT_EQ(ncclCommRegister(communicator_, memory, 2 * kMiB + 1, &handle), ncclInvalidArgument);

  ncclWindow_t window = nullptr;
  auto* const inside = static_cast<std::byte*>(memory) + 512;
  EXPECT_EQ(ncclCommWindowRegister(communicator_, inside, 1, &window, NCCL_WIN_COLL_SYMMETRIC),
            ncclInvalidArgument);
  ASSERT_EQ(ncclCommWindowRegister(communicator_, memory, 2 * kMiB, &window, NCCL_WIN_COLL_SYMMETRIC),
            ncclSuccess);
  EXPECT_NE(window, nullptr);
  EXPECT_EQ(ncclCommWindowDeregister(communicator_, window), ncclSuccess);
  EXPECT_EQ(ncclCommWindowDeregister(communicator_, window), ncclInvalidArgument);

  EXPECT_EQ(ncclMemFree(memory), ncclSuccess);
  EXPECT_EQ(ncclMemFree(memory), ncclUnhandledCudaError);
  EXPECT_EQ(used_bytes(), used);
  EXPECT_EQ(ncclMemAlloc(&memory, kTotal), ncclUnhandledCudaError) << "no room";
}

// Compared with the real library, which needs no GPU for this.
TEST_F(Nccl, ResultsAreNamedAsNcclDoes) {
  void* const real = dlopen(STRATA_REAL_NCCL, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(real, nullptr) << dlerror();
  using Text = const char* (*)(ncclResult_t);
  const auto real_text = reinterpret_cast<Text>(dlsym(real, "ncclGetErrorString"));
  ASSERT_NE(real_text, &ncclGetErrorString);
  for (int code = 0; code <= ncclNumResults; ++code) {
    const auto result = static_cast<ncclResult_t>(code);
    EXPECT_STREQ(ncclGetErrorString(result), real_text(result));
  }
  using Version = ncclResult_t (*)(int*);
  int version = 0;
  int real_version = 0;
  EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(reinterpret_cast<Version>(dlsym(real, "ncclGetVersion"))(&real_version), ncclSuccess);
  EXPECT_EQ(version, real_version);
}

}  // namespace
}  // namespace strata::dry_gpu
