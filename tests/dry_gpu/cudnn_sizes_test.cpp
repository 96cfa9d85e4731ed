// SPDX-License-Identifier: Apache-2.0
// Workspaces that cuDNN requests from its caller and that formulas predict, compared with an H200
// (tests/data/card-h200): attention, recurrences, dropout's generators.
#include <cudnn.h>

#include <vector>

#include "tests/dry_gpu/cudnn_handle.hpp"

namespace strata::dry_gpu {
namespace {

class Attention : public Cudnn {
 protected:
  void TearDown() override {
    for (const cudnnBackendDescriptor_t each : made_)
      EXPECT_EQ(cudnnBackendDestroyDescriptor(each), CUDNN_STATUS_SUCCESS);
    Cudnn::TearDown();
  }

  cudnnBackendDescriptor_t make(cudnnBackendDescriptorType_t type) {
    made_.push_back(nullptr);
    EXPECT_EQ(cudnnBackendCreateDescriptor(type, &made_.back()), CUDNN_STATUS_SUCCESS);
    return made_.back();
  }
  static void refer(cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name,
                    const std::vector<cudnnBackendDescriptor_t>& to) {
    EXPECT_EQ(cudnnBackendSetAttribute(from, name, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                       static_cast<std::int64_t>(to.size()), to.data()),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cudnnBackendFinalize(from), CUDNN_STATUS_SUCCESS);
  }

  // The plan of a graph of so many matrix products and an operation between them.
  cudnnBackendDescriptor_t plan_of(int products) {
    std::vector<cudnnBackendDescriptor_t> operations;
    for (int product = 0; product < products; ++product)
      operations.push_back(make(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR));
    operations.push_back(make(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
    for (const cudnnBackendDescriptor_t each : operations)
      EXPECT_EQ(cudnnBackendFinalize(each), CUDNN_STATUS_SUCCESS);
    const cudnnBackendDescriptor_t graph = make(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    refer(graph, CUDNN_ATTR_OPERATIONGRAPH_OPS, operations);
    const cudnnBackendDescriptor_t heuristics = make(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    const cudnnBackendHeurMode_t mode = CUDNN_HEUR_MODE_A;
    EXPECT_EQ(
        cudnnBackendSetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode),
        CUDNN_STATUS_SUCCESS);
    refer(heuristics, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, {graph});
    cudnnBackendDescriptor_t configuration = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    std::int64_t count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(heuristics, CUDNN_ATTR_ENGINEHEUR_RESULTS,
                                       CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &configuration),
              CUDNN_STATUS_SUCCESS);
    const cudnnBackendDescriptor_t plan = make(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    refer(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, {configuration});
    return plan;
  }
  static std::int64_t workspace_bytes(cudnnBackendDescriptor_t plan) {
    std::int64_t bytes = -1, count = 0;
    EXPECT_EQ(cudnnBackendGetAttribute(plan, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1,
                                       &count, &bytes),
              CUDNN_STATUS_SUCCESS);
    return bytes;
  }

  std::vector<cudnnBackendDescriptor_t> made_;
};

// As torch's cudnn_frontend builds it: two products forward, five backward.
TEST_F(Attention, AsksFor256BytesAPass) {
  const cudnnBackendDescriptor_t forward = plan_of(2);
  EXPECT_EQ(workspace_bytes(forward), 256);
  EXPECT_EQ(workspace_bytes(plan_of(5)), 256) << "backward";
  EXPECT_EQ(workspace_bytes(plan_of(1)), 0) << "no attention";

  const cudnnBackendDescriptor_t pack = make(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  void* const workspace = allocate(256);
  EXPECT_EQ(
      cudnnBackendSetAttribute(pack, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace),
      CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnBackendFinalize(pack), CUDNN_STATUS_SUCCESS);
  const strata_dry_gpu_counts before = strata_dry_gpu_count();
  EXPECT_EQ(cudnnBackendExecute(handle_, forward, pack), CUDNN_STATUS_SUCCESS);
  const strata_dry_gpu_counts after = strata_dry_gpu_count();
  EXPECT_EQ(after.fitted_workspaces - before.fitted_workspaces, 1u);
  EXPECT_EQ(after.unknown_workspaces, before.unknown_workspaces);
  EXPECT_EQ(cudaFree(workspace), cudaSuccess);
}

struct Network {
  cudnnRNNMode_t cell = CUDNN_LSTM;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  float dropout = 0;
  int projection = 256;
  int layers = 2;
};

class Recurrence : public Cudnn {
 protected:
  struct Sizes {
    std::size_t workspace = 7, reserve = 7;
    friend bool operator==(const Sizes&, const Sizes&) = default;
  };

  // 50 steps in a batch of 32, with 256 input values and 256 hidden ones.
  Sizes sizes(const Network& network, cudnnForwardMode_t mode = CUDNN_FWD_MODE_TRAINING, int steps = 50) {
    constexpr int kSize = 256, kBatch = 32;
    cudnnDropoutDescriptor_t dropout = nullptr;
    cudnnRNNDescriptor_t descriptor = nullptr;
    cudnnRNNDataDescriptor_t x = nullptr;
    EXPECT_EQ(cudnnCreateDropoutDescriptor(&dropout), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cudnnSetDropoutDescriptor(dropout, handle_, network.dropout, nullptr, 0, 0),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cudnnCreateRNNDescriptor(&descriptor), CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cudnnSetRNNDescriptor_v8(descriptor, CUDNN_RNN_ALGO_STANDARD, network.cell,
                                       CUDNN_RNN_DOUBLE_BIAS, network.direction, CUDNN_LINEAR_INPUT,
                                       network.type, CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, kSize, kSize,
                                       network.projection, network.layers, dropout, 0),
              CUDNN_STATUS_SUCCESS);
    EXPECT_EQ(cudnnCreateRNNDataDescriptor(&x), CUDNN_STATUS_SUCCESS);
    const std::vector<int> lengths(kBatch, steps);
    float padding = 0;
    EXPECT_EQ(cudnnSetRNNDataDescriptor(x, network.type, CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED, steps,
                                        kBatch, kSize, lengths.data(), &padding),
              CUDNN_STATUS_SUCCESS);
    Sizes found;
    EXPECT_EQ(cudnnGetRNNTempSpaceSizes(handle_, descriptor, mode, x, &found.workspace, &found.reserve),
              CUDNN_STATUS_SUCCESS);
    cudnnDestroyRNNDataDescriptor(x);
    cudnnDestroyRNNDescriptor(descriptor);
    cudnnDestroyDropoutDescriptor(dropout);
    return found;
  }
};

TEST_F(Recurrence, AsksForWhatACardWasAskedFor) {
  EXPECT_EQ(sizes({}), (Sizes{31'457'792, 18'022'656}));
  EXPECT_EQ(sizes({.cell = CUDNN_GRU}), (Sizes{28'967'424, 21'299'456}));
  EXPECT_EQ(sizes({.cell = CUDNN_GRU, .type = CUDNN_DATA_HALF}), (Sizes{22'872'576, 10'649'856}));
  EXPECT_EQ(sizes({.cell = CUDNN_RNN_TANH, .type = CUDNN_DATA_HALF}), (Sizes{30'605'824, 2'457'856}));
  EXPECT_EQ(sizes({.projection = 64}), (Sizes{29'540'864, 22'118'656}));
  EXPECT_EQ(sizes({.direction = CUDNN_BIDIRECTIONAL, .dropout = 0.1F}), (Sizes{70'189'568, 36'249'856}));
}

TEST_F(Recurrence, KeepsNothingInInference) {
  EXPECT_EQ(sizes({}, CUDNN_FWD_MODE_INFERENCE), (Sizes{31'457'792, 0}));
}

TEST_F(Recurrence, NeedsMoreForMore) {
  Sizes last = sizes({.layers = 1}, CUDNN_FWD_MODE_TRAINING, 1);
  const auto grows_to = [&](const Sizes& now) {
    EXPECT_GT(now.workspace, last.workspace);
    EXPECT_GT(now.reserve, last.reserve);
    last = now;
  };
  grows_to(sizes({.layers = 1}));
  grows_to(sizes({.layers = 2}));
  grows_to(sizes({.layers = 3}));
  grows_to(sizes({.layers = 3}, CUDNN_FWD_MODE_TRAINING, 100'000));
  grows_to(sizes({.direction = CUDNN_BIDIRECTIONAL, .layers = 3}, CUDNN_FWD_MODE_TRAINING, 100'000));
  grows_to(sizes({.direction = CUDNN_BIDIRECTIONAL, .dropout = 0.5F, .layers = 3}, CUDNN_FWD_MODE_TRAINING,
                 100'000));
}

// 48 bytes for each of 1,024 threads of each multiprocessor: the test's card has 10, an H200 132.
TEST_F(Cudnn, HasAGeneratorForEachThreadThatDrops) {
  std::size_t bytes = 0;
  EXPECT_EQ(cudnnDropoutGetStatesSize(handle_, &bytes), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(bytes * 132 / 10, 6'488'064u);
  cudnnDropoutDescriptor_t dropout = nullptr;
  ASSERT_EQ(cudnnCreateDropoutDescriptor(&dropout), CUDNN_STATUS_SUCCESS);
  void* const states = allocate(bytes);
  EXPECT_EQ(cudnnSetDropoutDescriptor(dropout, handle_, 0.5, states, bytes - 1, 0),
            CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT);
  EXPECT_EQ(cudnnSetDropoutDescriptor(dropout, handle_, 0.5, states, bytes, 0), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnDestroyDropoutDescriptor(dropout), CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudaFree(states), cudaSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu
