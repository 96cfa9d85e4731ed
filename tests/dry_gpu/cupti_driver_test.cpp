// SPDX-License-Identifier: Apache-2.0
// CUPTI's records of driver calls without the runtime, and of graphs.
#include <cuda.h>

#include <map>
#include <vector>

#include "tests/dry_gpu/cupti_records.hpp"

namespace strata::dry_gpu {
namespace {

// Launches as Triton and NVIDIA's libraries do.
class CuptiOfTheDriver : public Cupti {
 protected:
  void SetUp() override {
    Cupti::SetUp();
    const char code = 0;
    ASSERT_EQ(cuModuleLoadData(&module_, &code), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&function_, module_, "triton_kernel"), CUDA_SUCCESS);
    flush();
  }
  void TearDown() override {
    if (executable_ != nullptr) {
      EXPECT_EQ(cudaGraphExecDestroy(executable_), cudaSuccess);
    }
    if (graph_ != nullptr) {
      EXPECT_EQ(cudaGraphDestroy(graph_), cudaSuccess);
    }
    EXPECT_EQ(cuModuleUnload(module_), CUDA_SUCCESS);
    Cupti::TearDown();
  }
  void launch() {
    ASSERT_EQ(cuLaunchKernel(function_, 1, 1, 1, 32, 1, 1, 0, stream_, nullptr, nullptr), CUDA_SUCCESS);
  }
  void launch_configured() {
    CUlaunchConfig configuration{};
    configuration.gridDimX = configuration.gridDimY = configuration.gridDimZ = 1;
    configuration.blockDimX = 32;
    configuration.blockDimY = configuration.blockDimZ = 1;
    configuration.hStream = stream_;
    ASSERT_EQ(cuLaunchKernelEx(&configuration, function_, nullptr, nullptr), CUDA_SUCCESS);
  }

  // The launches of `work` on the stream as an executable graph, alive until the test ends.
  template <typename Work>
  cudaGraphExec_t captured(Work work) {
    EXPECT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), cudaSuccess);
    work();
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph_), cudaSuccess);
    EXPECT_EQ(cudaGraphInstantiate(&executable_, graph_, 0), cudaSuccess);
    return executable_;
  }

  CUmodule module_ = nullptr;
  CUfunction function_ = nullptr;

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

TEST_F(CuptiOfTheDriver, RecordsALaunchAsTheDriversAlone) {
  ASSERT_EQ(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, 5),
            CUPTI_SUCCESS);
  launch();
  launch_configured();
  ASSERT_EQ(cuLaunchCooperativeKernel(function_, 1, 1, 1, 32, 1, 1, 0, stream_, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2, nullptr),
            CUPTI_SUCCESS);
  const Recorded all = flush();
  ASSERT_EQ(all.kernels.size(), 3u);
  EXPECT_EQ(all.calls.size(), 3u) << "one call a kernel: the functions that these call are a part of them";
  const CUpti_driver_api_trace_cbid functions[] = {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
                                                   CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
                                                   CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel};
  for (std::size_t index = 0; index < 3; ++index) {
    const std::uint32_t correlation = all.kernels[index].correlationId;
    EXPECT_EQ(all.calls.at(correlation).kind, CUPTI_ACTIVITY_KIND_DRIVER);
    EXPECT_EQ(all.calls.at(correlation).cbid, static_cast<CUpti_CallbackId>(functions[index]));
    EXPECT_EQ(all.external.at(correlation), 5u);
  }
}

TEST_F(CuptiOfTheDriver, RecordsAGraphsKernelsWithItsLaunch) {
  const cudaGraphExec_t executable = captured([&] {
    launch();
    launch_configured();
  });
  EXPECT_TRUE(flush().kernels.empty()) << "a capture does nothing";
  ASSERT_EQ(cuGraphLaunch(executable, stream_), CUDA_SUCCESS);
  const Recorded all = flush();
  ASSERT_EQ(all.kernels.size(), 2u);
  ASSERT_EQ(all.calls.size(), 1u);
  for (const CUpti_ActivityKernel10& kernel : all.kernels) {
    const CUpti_ActivityAPI& call = all.calls.at(kernel.correlationId);
    EXPECT_EQ(call.kind, CUPTI_ACTIVITY_KIND_DRIVER);
    EXPECT_EQ(call.cbid, static_cast<CUpti_CallbackId>(CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch));
  }
  EXPECT_EQ(cuGraphLaunch(nullptr, stream_), CUDA_ERROR_INVALID_VALUE);
}

// With these a profiler finds the operator in which a node was captured.
TEST_F(CuptiOfTheDriver, TellsTheNodesOfAGraphAndOfItsExecutable) {
  struct Told {
    std::vector<std::uint64_t> made;
    std::map<std::uint64_t, std::uint64_t> clones;  // by original
  } told;
  const auto callback = [](void* data, CUpti_CallbackDomain, CUpti_CallbackId event, const void* resource) {
    const auto* const descriptor = static_cast<const CUpti_ResourceData*>(resource)->resourceDescriptor;
    const auto& graph = *static_cast<const CUpti_GraphData*>(descriptor);
    std::uint64_t node = 0, original = 0;
    EXPECT_EQ(cuptiGetGraphNodeId(graph.node, &node), CUPTI_SUCCESS);
    if (event == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
      static_cast<Told*>(data)->made.push_back(node);
      return;
    }
    EXPECT_EQ(cuptiGetGraphNodeId(graph.originalNode, &original), CUPTI_SUCCESS);
    static_cast<Told*>(data)->clones[original] = node;
  };
  CUpti_SubscriberHandle subscriber = nullptr;
  ASSERT_EQ(cuptiSubscribe(&subscriber, callback, &told), CUPTI_SUCCESS);
  for (const CUpti_CallbackId event :
       {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
    ASSERT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, event), CUPTI_SUCCESS);
  const cudaGraphExec_t executable = captured([&] {
    launch();
    fill();
  });
  ASSERT_EQ(told.made.size(), 2u);
  ASSERT_EQ(told.clones.size(), 2u);
  for (int each = 0; each < 2; ++each) ASSERT_EQ(cudaGraphLaunch(executable, stream_), cudaSuccess);
  launch();
  const Recorded all = flush();
  ASSERT_EQ(all.kernels.size(), 3u);
  ASSERT_EQ(all.fills.size(), 2u);
  for (std::size_t each = 0; each < 2; ++each) {
    EXPECT_EQ(all.kernels[each].graphNodeId, told.clones[told.made[0]]);
    EXPECT_EQ(all.fills[each].graphNodeId, told.clones[told.made[1]]);
    EXPECT_NE(all.kernels[each].graphId, 0u);
  }
  EXPECT_EQ(all.kernels[2].graphNodeId, 0u) << "of no graph";
  EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
}

// As on an H200: functions that were enabled singly, without their kind, were not recorded.
TEST_F(CuptiOfTheDriver, RecordsNoFunctionUnlessItsKindIsEnabled) {
  ASSERT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_DRIVER), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 1), CUPTI_SUCCESS);
  launch();
  const Recorded all = flush();
  EXPECT_EQ(all.kernels.size(), 1u);
  EXPECT_TRUE(all.calls.empty());
}

TEST_F(CuptiOfTheDriver, RecordsNoFunctionThatWasTakenOutOfItsKind) {
  ASSERT_EQ(cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 0), CUPTI_SUCCESS);
  launch();
  launch_configured();
  EXPECT_EQ(flush().calls.size(), 1u);
  ASSERT_EQ(cuptiActivityEnableDriverApi(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, 1), CUPTI_SUCCESS);
}

}  // namespace
}  // namespace strata::dry_gpu
