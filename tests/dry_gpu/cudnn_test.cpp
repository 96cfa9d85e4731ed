// SPDX-License-Identifier: Apache-2.0
// cuDNN as programs see it. Its descriptors are compared with the real library's in test_cudnn.py.
#include <cudnn.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tests/dry_gpu/cudnn_handle.hpp"

namespace strata::dry_gpu {
namespace {

cudnnTensorDescriptor_t tensor(const std::vector<int>& sizes) {
  cudnnTensorDescriptor_t made = nullptr;
  EXPECT_EQ(cudnnCreateTensorDescriptor(&made), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnSetTensorNdDescriptorEx(made, CUDNN_TENSOR_NCHW, CUDNN_DATA_FLOAT,
                                         static_cast<int>(sizes.size()), sizes.data()),
            CUDNN_STATUS_SUCCESS);
  return made;
}

TEST_F(Cudnn, KeepsTheStreamOfItsOwnDevice) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  EXPECT_EQ(cudnnSetStream(handle_, stream), CUDNN_STATUS_SUCCESS);
  cudaStream_t kept = nullptr;
  EXPECT_EQ(cudnnGetStream(handle_, &kept), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(kept, stream);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaStream_t foreign = nullptr;
  ASSERT_EQ(cudaStreamCreate(&foreign), cudaSuccess);
  EXPECT_EQ(cudnnSetStream(handle_, foreign), CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH);
  EXPECT_EQ(cudaStreamDestroy(foreign), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// The test's profile sets no workspace, so no workspace can be too small.
TEST_F(Cudnn, FindsOneAlgorithmAndOwnsUpToItsUnknownWorkspace) {
  const cudnnTensorDescriptor_t x = tensor({2, 4, 8, 8}), y = tensor({2, 6, 8, 8}),
                                other = tensor({2, 6, 7, 8});
  cudnnFilterDescriptor_t w = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  ASSERT_EQ(cudnnCreateFilterDescriptor(&w), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnCreateConvolutionDescriptor(&convolution), CUDNN_STATUS_SUCCESS);
  ASSERT_EQ(cudnnSetFilter4dDescriptor(w, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW, 6, 4, 3, 3),
            CUDNN_STATUS_SUCCESS);
  const std::array<int, 2> ones = {1, 1};
  ASSERT_EQ(cudnnSetConvolutionNdDescriptor(convolution, 2, ones.data(), ones.data(), ones.data(),
                                            CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT),
            CUDNN_STATUS_SUCCESS);
  std::array<cudnnConvolutionFwdAlgoPerf_t, 4> found{};
  int count = 0;
  EXPECT_EQ(cudnnGetConvolutionForwardAlgorithm_v7(handle_, x, w, convolution, y, 4, &count, found.data()),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(found[0].memory, 0u);
  EXPECT_EQ(found[0].determinism, CUDNN_DETERMINISTIC);
  EXPECT_EQ(
      cudnnGetConvolutionForwardAlgorithm_v7(handle_, x, w, convolution, other, 4, &count, found.data()),
      CUDNN_STATUS_BAD_PARAM);
  std::size_t bytes = 1;
  EXPECT_EQ(cudnnGetConvolutionForwardWorkspaceSize(handle_, x, w, convolution, y, found[0].algo, &bytes),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(bytes, 0u);

  const float one = 1;
  const strata_dry_gpu_counts before = strata_dry_gpu_count();
  const auto convolve = [&](cudnnConvolutionFwdAlgo_t algorithm) {
    return cudnnConvolutionForward(handle_, &one, x, nullptr, w, nullptr, convolution, algorithm, nullptr, 0,
                                   &one, y, nullptr);
  };
  EXPECT_EQ(convolve(found[0].algo), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(convolve(CUDNN_CONVOLUTION_FWD_ALGO_DIRECT), CUDNN_STATUS_NOT_SUPPORTED);
  const strata_dry_gpu_counts after = strata_dry_gpu_count();
  EXPECT_EQ(after.library_calls - before.library_calls, 1u);
  EXPECT_EQ(after.unknown_workspaces - before.unknown_workspaces, 1u);
  cudnnDestroyConvolutionDescriptor(convolution);
  cudnnDestroyFilterDescriptor(w);
  for (const cudnnTensorDescriptor_t each : {x, y, other}) cudnnDestroyTensorDescriptor(each);
}

class Recurrent : public Cudnn {
 protected:
  void SetUp() override {
    Cudnn::SetUp();
    ASSERT_EQ(cudnnCreateRNNDescriptor(&network_), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(cudnnCreateTensorDescriptor(&matrix_), CUDNN_STATUS_SUCCESS);
    ASSERT_EQ(cudnnCreateTensorDescriptor(&bias_), CUDNN_STATUS_SUCCESS);
  }
  void TearDown() override {
    cudnnDestroyTensorDescriptor(bias_);
    cudnnDestroyTensorDescriptor(matrix_);
    cudnnDestroyRNNDescriptor(network_);
    Cudnn::TearDown();
  }

  // Input 10, hidden 20, two layers.
  cudnnStatus_t set(cudnnRNNMode_t cell, cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
                    int projection = 20) {
    return cudnnSetRNNDescriptor_v8(network_, CUDNN_RNN_ALGO_STANDARD, cell, bias, direction,
                                    CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT, CUDNN_DATA_FLOAT,
                                    CUDNN_DEFAULT_MATH, 10, 20, projection, 2, nullptr, 0);
  }
  std::size_t bytes() {
    std::size_t all = 0;
    EXPECT_EQ(cudnnGetRNNWeightSpaceSize(handle_, network_, &all), CUDNN_STATUS_SUCCESS);
    return all;
  }
  static std::vector<int> shape(cudnnTensorDescriptor_t descriptor) {
    cudnnDataType_t type{};
    int dimensions = 0;
    std::vector<int> sizes(8), strides(8);
    EXPECT_EQ(cudnnGetTensorNdDescriptor(descriptor, 8, &type, &dimensions, sizes.data(), strides.data()),
              CUDNN_STATUS_SUCCESS);
    sizes.resize(static_cast<std::size_t>(dimensions));
    return sizes;
  }
  struct Weight {
    std::size_t offset, bytes;
    std::vector<int> shape;
  };
  // The matrix and the bias, if present.
  std::vector<Weight> weights(int pseudo_layer, int linear_layer) {
    const auto base = reinterpret_cast<void*>(0x10000);
    void* matrix = nullptr;
    void* bias = nullptr;
    EXPECT_EQ(cudnnGetRNNWeightParams(handle_, network_, pseudo_layer, bytes(), base, linear_layer, matrix_,
                                      &matrix, bias_, &bias),
              CUDNN_STATUS_SUCCESS);
    std::vector<Weight> found;
    for (const auto& [address, descriptor] : {std::pair{matrix, matrix_}, std::pair{bias, bias_}}) {
      if (address == nullptr) {
        EXPECT_EQ(shape(descriptor), std::vector<int>{});
        continue;
      }
      std::size_t size = 0;
      EXPECT_EQ(cudnnGetTensorSizeInBytes(descriptor, &size), CUDNN_STATUS_SUCCESS);
      found.push_back({reinterpret_cast<std::size_t>(address) - reinterpret_cast<std::size_t>(base), size,
                       shape(descriptor)});
    }
    return found;
  }
  // Whether the weights together fill the weight space without overlap.
  void expect_filled(int pseudo_layers, int linear_layers) {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (int pseudo_layer = 0; pseudo_layer < pseudo_layers; ++pseudo_layer) {
      for (int linear_layer = 0; linear_layer < linear_layers; ++linear_layer)
        for (const Weight& weight : weights(pseudo_layer, linear_layer))
          places.emplace_back(weight.offset, weight.offset + weight.bytes);
    }
    std::ranges::sort(places);
    std::size_t end = 0;
    for (const auto& [first, last] : places) {
      EXPECT_EQ(first, end);
      end = last;
    }
    EXPECT_EQ(end, bytes());
  }

  cudnnRNNDescriptor_t network_ = nullptr;
  cudnnTensorDescriptor_t matrix_ = nullptr, bias_ = nullptr;
};

TEST_F(Recurrent, LayTheWeightsOfAnLstmInOnePiece) {
  ASSERT_EQ(set(CUDNN_LSTM, CUDNN_RNN_DOUBLE_BIAS, CUDNN_BIDIRECTIONAL), CUDNN_STATUS_SUCCESS);
  // Four gates in two directions: 20 x 10 and 20 x 20 in the first layer, 20 x 40 and 20 x 20 in the second;
  // two biases of 20 each.
  EXPECT_EQ(bytes(), 4u * 2 * 4 * (20 * 10 + 20 * 20 + 20 * 40 + 20 * 20 + 2 * 2 * 20));
  const std::vector<Weight> first = weights(0, 0);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0].offset, 0u);
  EXPECT_EQ(first[0].shape, (std::vector{1, 20, 10}));
  EXPECT_EQ(first[1].offset, 4u * 2 * 4 * (20 * 10 + 20 * 20 + 20 * 40 + 20 * 20)) << "behind all matrices";
  EXPECT_EQ(first[1].shape, (std::vector{1, 20, 1}));
  EXPECT_EQ(weights(2, 3)[0].shape, (std::vector{1, 20, 40}));
  EXPECT_EQ(weights(3, 7)[0].shape, (std::vector{1, 20, 20}));
  EXPECT_TRUE(weights(0, 8).empty()) << "no projection";
  expect_filled(4, 9);
}

TEST_F(Recurrent, LayProjectionsAndSingleBiases) {
  ASSERT_EQ(set(CUDNN_LSTM, CUDNN_RNN_SINGLE_REC_BIAS, CUDNN_UNIDIRECTIONAL, 8), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(weights(0, 8)[0].shape, (std::vector{1, 8, 20}));
  EXPECT_EQ(weights(0, 5)[0].shape, (std::vector{1, 20, 8})) << "of the projected state";
  EXPECT_EQ(weights(1, 0)[0].shape, (std::vector{1, 20, 8})) << "of the projected output";
  EXPECT_EQ(weights(0, 0).size(), 1u);
  EXPECT_EQ(weights(0, 4).size(), 2u);
  expect_filled(2, 9);
  ASSERT_EQ(set(CUDNN_GRU, CUDNN_RNN_NO_BIAS, CUDNN_BIDIRECTIONAL), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(bytes(), 4u * 2 * 3 * (20 * 10 + 20 * 20 + 20 * 40 + 20 * 20));
  expect_filled(4, 6);
}

TEST_F(Recurrent, RefuseWeightsThatAreNotThere) {
  ASSERT_EQ(set(CUDNN_GRU, CUDNN_RNN_DOUBLE_BIAS, CUDNN_UNIDIRECTIONAL), CUDNN_STATUS_SUCCESS);
  void* address = nullptr;
  const auto ask = [&](int pseudo_layer, std::size_t room, int linear_layer) {
    return cudnnGetRNNWeightParams(handle_, network_, pseudo_layer, room, nullptr, linear_layer, matrix_,
                                   &address, nullptr, nullptr);
  };
  EXPECT_EQ(ask(1, bytes(), 5), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(ask(2, bytes(), 0), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(ask(0, bytes(), 6), CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(ask(0, bytes() - 1, 0), CUDNN_STATUS_BAD_PARAM);
}

// As in cudnn_frontend: a graph's heuristics fill configurations made by the caller.
TEST_F(Cudnn, PlansAGraph) {
  const auto make = [](cudnnBackendDescriptorType_t type) {
    cudnnBackendDescriptor_t made = nullptr;
    EXPECT_EQ(cudnnBackendCreateDescriptor(type, &made), CUDNN_STATUS_SUCCESS);
    return made;
  };
  const auto refer = [](cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name,
                        cudnnBackendDescriptor_t to) {
    EXPECT_EQ(cudnnBackendSetAttribute(from, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &to),
              CUDNN_STATUS_SUCCESS);
  };
  const cudnnBackendDescriptor_t operation = make(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  const cudnnBackendDescriptor_t graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_EQ(cudnnBackendFinalize(graph), CUDNN_STATUS_BAD_PARAM) << "it has no operation";
  EXPECT_EQ(cudnnBackendFinalize(operation), CUDNN_STATUS_SUCCESS);
  refer(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operation);
  EXPECT_EQ(cudnnBackendFinalize(graph), CUDNN_STATUS_SUCCESS);
  const cudnnBackendDescriptor_t heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  refer(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
  const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
  EXPECT_EQ(cudnnBackendSetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnBackendFinalize(heuristics), CUDNN_STATUS_SUCCESS);

  std::int64_t count = 0;
  cudnnBackendDescriptor_t configuration = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  EXPECT_EQ(cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                     0, &count, nullptr),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                     1, &count, &configuration),
            CUDNN_STATUS_SUCCESS);
  for (const cudnnBackendDescriptor_t each : {heuristics, graph, operation})
    EXPECT_EQ(cudnnBackendDestroyDescriptor(each), CUDNN_STATUS_SUCCESS) << "the configuration goes on";

  std::int32_t shared_bytes = -1;
  EXPECT_EQ(cudnnBackendGetAttribute(configuration, CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED, CUDNN_TYPE_INT32,
                                     1, &count, &shared_bytes),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(shared_bytes, 0) << "without an answer cudnn_frontend drops the only plan";
  cudnnBackendDescriptor_t engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  EXPECT_EQ(cudnnBackendGetAttribute(configuration, CUDNN_ATTR_ENGINECFG_ENGINE,
                                     CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                     CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count, nullptr),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(count, 0);
  std::array<cudnnBackendNumericalNote_t, CUDNN_NUMERICAL_NOTE_TYPE_COUNT> notes{};
  EXPECT_EQ(cudnnBackendGetAttribute(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                     CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &count, notes.data()),
            CUDNN_STATUS_SUCCESS)
      << "cudnn_frontend asks with room at once";
  EXPECT_EQ(count, 0);

  const cudnnBackendDescriptor_t plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  const cudnnBackendDescriptor_t pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  EXPECT_EQ(cudnnBackendExecute(handle_, plan, pack), CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  refer(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration);
  EXPECT_EQ(cudnnBackendFinalize(plan), CUDNN_STATUS_SUCCESS);
  std::int64_t workspace_bytes = -1;
  EXPECT_EQ(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                     nullptr, &workspace_bytes),
            CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(workspace_bytes, 0);
  EXPECT_EQ(cudnnBackendFinalize(pack), CUDNN_STATUS_SUCCESS);
  const std::uint64_t before = strata_dry_gpu_count().unknown_workspaces;
  EXPECT_EQ(cudnnBackendExecute(handle_, plan, pack), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnBackendExecute(handle_, pack, plan), CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE);
  EXPECT_EQ(strata_dry_gpu_count().unknown_workspaces - before, 1u);
  for (const cudnnBackendDescriptor_t each : {pack, plan, engine, configuration})
    EXPECT_EQ(cudnnBackendDestroyDescriptor(each), CUDNN_STATUS_SUCCESS);
}

// A graph counts what it replays, not what it records.
TEST_F(Cudnn, IsCaptured) {
  cudaStream_t stream = nullptr;
  ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
  ASSERT_EQ(cudnnSetStream(handle_, stream), CUDNN_STATUS_SUCCESS);
  const cudnnTensorDescriptor_t x = tensor({2, 4, 8, 8}), scale = tensor({1, 4, 1, 1});
  const float one = 1;
  const std::uint64_t before = strata_dry_gpu_count().fitted_workspaces;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(cudnnBatchNormalizationForwardTrainingEx(handle_, CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_OPS_BN,
                                                     &one, &one, x, nullptr, nullptr, nullptr, x, nullptr,
                                                     scale, nullptr, nullptr, 0.1, nullptr, nullptr, 1e-5,
                                                     nullptr, nullptr, nullptr, nullptr, 0, nullptr, 0),
            CUDNN_STATUS_SUCCESS);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  EXPECT_EQ(strata_dry_gpu_count().fitted_workspaces, before);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(strata_dry_gpu_count().fitted_workspaces - before, 2u);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (const cudnnTensorDescriptor_t each : {x, scale}) cudnnDestroyTensorDescriptor(each);
  EXPECT_EQ(cudnnSetStream(handle_, nullptr), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu
