// SPDX-License-Identifier: Apache-2.0
// Streams, events, captures and graphs. Each error is the one CUDA documents for the case.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

class Capture : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    for (cudaStream_t* stream : {&stream_, &other_}) {
      ASSERT_EQ(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), cudaSuccess);
    }
    ASSERT_EQ(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), cudaSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(cudaEventDestroy(event_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamDestroy(other_), cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "a capture is left";
  }

  void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal) {
    ASSERT_EQ(cudaStreamBeginCapture(stream_, mode), cudaSuccess);
  }
  cudaError_t end() {
    graph_ = nullptr;
    const cudaError_t error = cudaStreamEndCapture(stream_, &graph_);
    EXPECT_EQ(graph_ != nullptr, error == cudaSuccess);
    return error;
  }
  static cudaError_t launch(cudaStream_t stream) {
    static const char kernel = 0;
    return cudaLaunchKernel(&kernel, {1, 1, 1}, {1, 1, 1}, nullptr, 0, stream);
  }
  std::size_t nodes() {
    std::size_t count = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph_, nullptr, &count), cudaSuccess);
    return count;
  }

  cudaStream_t stream_ = nullptr, other_ = nullptr;
  cudaEvent_t event_ = nullptr;
  cudaGraph_t graph_ = nullptr;
};

TEST_F(Capture, KeepsWorkAndReplaysIt) {
  int calls = 0;
  const cudaHostFn_t count = [](void* sum) { ++*static_cast<int*>(sum); };
  const std::uint64_t before = strata_dry_gpu_count().launches;
  begin();
  EXPECT_EQ(launch(stream_), cudaSuccess);
  EXPECT_EQ(launch(stream_), cudaSuccess);
  EXPECT_EQ(cudaLaunchHostFunc(stream_, count, &calls), cudaSuccess);
  EXPECT_EQ(launch(other_), cudaSuccess) << "of another stream: done at once";
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_EQ(strata_dry_gpu_count().launches - before, 1u);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(nodes(), 3u);

  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph_, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(strata_dry_gpu_count().launches - before, 5u);
  EXPECT_EQ(calls, 2);
}

TEST_F(Capture, JoinsStreamsThatWaitForIt) {
  begin();
  EXPECT_EQ(launch(stream_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  cudaStreamCaptureStatus status{};
  EXPECT_EQ(cudaStreamIsCapturing(other_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_EQ(launch(other_), cudaSuccess);
  EXPECT_EQ(launch(stream_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event_, 0), cudaSuccess);
  EXPECT_EQ(launch(stream_), cudaSuccess);
  ASSERT_EQ(end(), cudaSuccess);

  std::vector<cudaGraphNode_t> all(4);
  std::size_t count = all.size();
  ASSERT_EQ(cudaGraphGetNodes(graph_, all.data(), &count), cudaSuccess);
  ASSERT_EQ(count, 4u);
  std::vector<cudaGraphNode_t> last(2);
  count = last.size();
  ASSERT_EQ(cudaGraphNodeGetDependencies(all[3], last.data(), nullptr, &count), cudaSuccess);
  std::ranges::sort(last);
  std::vector<cudaGraphNode_t> both = {all[1], all[2]};
  std::ranges::sort(both);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(last, both);
  EXPECT_EQ(cudaStreamIsCapturing(other_, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusNone);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
}

TEST_F(Capture, EndsUnjoined) {
  begin();
  EXPECT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  EXPECT_EQ(launch(other_), cudaSuccess);
  EXPECT_EQ(end(), cudaErrorStreamCaptureUnjoined);
}

TEST_F(Capture, EndsUnmatched) {
  begin();
  EXPECT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(other_, &graph_), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(), cudaErrorIllegalState) << "there is none any more";
}

TEST_F(Capture, EndsOnItsOwnThread) {
  begin(cudaStreamCaptureModeThreadLocal);
  std::thread([&] { EXPECT_EQ(end(), cudaErrorStreamCaptureWrongThread); }).join();
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  begin(cudaStreamCaptureModeRelaxed);
  std::thread([&] { EXPECT_EQ(end(), cudaSuccess); }).join();
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
}

TEST_F(Capture, IsInvalidatedByWhatMustNotBe) {
  EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
  begin();
  EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal), cudaErrorIllegalState);
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(launch(stream_), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);

  begin();
  EXPECT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event_), cudaErrorCapturedEvent);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);

  EXPECT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event_, 0), cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

// Calls that may wait for a device fail while this thread captures, or while any thread captures in global
// mode.
TEST_F(Capture, ForbidsMallocByModeAndThread) {
  void* pointer = nullptr;
  begin();
  EXPECT_EQ(cudaMalloc(&pointer, 1), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);

  begin();
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(mode, cudaStreamCaptureModeGlobal);
  EXPECT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);

  begin(cudaStreamCaptureModeThreadLocal);
  std::thread([&] {
    EXPECT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
    EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  }).join();
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
}

TEST_F(Capture, IsToldToWhoAsks) {
  begin();
  EXPECT_EQ(launch(stream_), cudaSuccess);
  cudaStreamCaptureStatus status{};
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* dependencies = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(cudaStreamGetCaptureInfo(stream_, &status, &id, &graph, &dependencies, nullptr, &count),
            cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  EXPECT_NE(id, 0u);
  ASSERT_EQ(count, 1u);
  cudaGraphNodeType type{};
  EXPECT_EQ(cudaGraphNodeGetType(dependencies[0], &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeKernel);
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_EQ(graph, graph_);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
}

TEST_F(Capture, AStreamThatWasDestroyedIsNone) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -9), cudaSuccess);
  int priority = 0;
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, -5) << "the greatest there is";
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
}

TEST_F(Capture, ExternalEventsAreNodesThatEachLaunchRecords) {
  cudaEvent_t timed = nullptr;
  ASSERT_EQ(cudaEventCreate(&timed), cudaSuccess);
  EXPECT_EQ(cudaEventRecordWithFlags(timed, stream_, cudaEventRecordExternal), cudaErrorInvalidValue)
      << "outside of a capture";
  EXPECT_EQ(cudaStreamWaitEvent(stream_, timed, cudaEventWaitExternal), cudaErrorInvalidValue);
  EXPECT_EQ(cudaEventRecordWithFlags(timed, stream_, 2), cudaErrorInvalidValue) << "there is no such flag";

  begin();
  EXPECT_EQ(cudaEventRecordWithFlags(timed, stream_, cudaEventRecordExternal), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(timed), cudaSuccess) << "no work of the capture";
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_EQ(nodes(), 1u);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, timed, timed), cudaErrorInvalidResourceHandle);
  cudaGraphExec_t recording = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&recording, graph_, cudaGraphInstantiateFlagAutoFreeOnLaunch), cudaSuccess);
  unsigned long long flags = 0;
  EXPECT_EQ(cudaGraphExecGetFlags(recording, &flags), cudaSuccess);
  EXPECT_EQ(flags, cudaGraphInstantiateFlagAutoFreeOnLaunch);
  EXPECT_EQ(cudaGraphLaunch(recording, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, timed, timed), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(recording), cudaSuccess);

  // An event of another capture, or of none: no work for the graph.
  begin();
  EXPECT_EQ(cudaStreamWaitEvent(stream_, timed, cudaEventWaitExternal), cudaSuccess);
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_EQ(nodes(), 1u);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(timed), cudaSuccess);
}

TEST_F(Capture, IsDrawn) {
  begin();
  EXPECT_EQ(launch(stream_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event_, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other_, event_, 0), cudaSuccess);
  EXPECT_EQ(launch(other_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event_, other_), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream_, event_, 0), cudaSuccess);
  ASSERT_EQ(end(), cudaSuccess);
  const std::string path = testing::TempDir() + "strata_graph.dot";
  ASSERT_EQ(cudaGraphDebugDotPrint(graph_, path.c_str(), cudaGraphDebugDotFlagsVerbose), cudaSuccess);
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "digraph dot {\n"
            "  node_0 [label=\"0 KERNEL\"];\n"
            "  node_1 [label=\"1 KERNEL\"];\n"
            "  node_0 -> node_1;\n"
            "}\n");
  EXPECT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(cudaGraphDebugDotPrint(graph_, "/no/such/folder", 0), cudaErrorOperatingSystem);
  EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
}

TEST_F(Capture, TimesBetweenDevicesAreNone) {
  cudaEvent_t events[2] = {};
  for (const int device : {0, 1}) {
    ASSERT_EQ(cudaSetDevice(device), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&events[device]), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(events[device], nullptr), cudaSuccess);
  }
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events[0], events[1]), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, events[1], events[1]), cudaSuccess)
      << "of any thread's device";
  for (cudaEvent_t event : events) EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
}

TEST_F(Capture, EventsAreCompleteAndATenthOfAMillisecondApart) {
  cudaEvent_t begin_event = nullptr;
  cudaEvent_t end_event = nullptr;
  ASSERT_EQ(cudaEventCreate(&begin_event), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end_event), cudaSuccess);
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin_event, end_event), cudaErrorInvalidResourceHandle)
      << "neither was recorded";
  EXPECT_EQ(cudaEventRecord(begin_event, stream_), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(end_event, stream_), cudaSuccess);
  const std::uint64_t before = strata_dry_gpu_count().unknown_times;
  EXPECT_EQ(cudaEventQuery(end_event), cudaSuccess);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin_event, end_event), cudaSuccess);
  EXPECT_EQ(milliseconds, 0.1F);
  EXPECT_EQ(strata_dry_gpu_count().unknown_times - before, 1u);
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin_event, begin_event), cudaSuccess);
  EXPECT_EQ(milliseconds, 0.0F);
  EXPECT_EQ(cudaEventDestroy(begin_event), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(end_event), cudaSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu
