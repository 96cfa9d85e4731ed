// SPDX-License-Identifier: Apache-2.0
// cuBLAS and cuBLASLt, and the behaviour of unimplemented functions.
#include <cublasLt.h>
#include <cublas_v2.h>
#include <cupti.h>
#include <curand.h>
#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

using Refused = std::vector<std::pair<std::string, std::uint64_t>>;

Refused refused() {
  Refused all;
  strata_dry_gpu_visit_refused(
      [](void* list, const char* function, std::uint64_t calls) {
        static_cast<Refused*>(list)->emplace_back(function, calls);
      },
      &all);
  return all;
}

std::vector<std::string>& messages() {
  static auto& all = *new std::vector<std::string>;
  return all;
}

class Libraries : public DryDevices {
 protected:
  void SetUp() override {
    DryDevices::SetUp();
    ASSERT_EQ(cublasCreate(&handle_), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cublasDestroy(handle_), CUBLAS_STATUS_SUCCESS); }

  cublasHandle_t handle_ = nullptr;
};

TEST_F(Libraries, KeepTheirSettings) {
  cublasMath_t math{};
  EXPECT_EQ(cublasSetMathMode(handle_, CUBLAS_TF32_TENSOR_OP_MATH), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetMathMode(handle_, &math), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(math, CUBLAS_TF32_TENSOR_OP_MATH);
  cublasPointerMode_t mode{};
  EXPECT_EQ(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasGetPointerMode(handle_, &mode), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(mode, CUBLAS_POINTER_MODE_DEVICE);
  EXPECT_EQ(cublasGetMathMode(nullptr, &math), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(Libraries, ComputeNothingAndSayHowOften) {
  const float one = 1;
  const std::uint64_t before = strata_dry_gpu_count().library_calls;
  EXPECT_EQ(
      cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, nullptr, 1, nullptr, 1, &one, nullptr, 1),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(strata_dry_gpu_count().library_calls - before, 1u);
}

TEST_F(Libraries, CheckTheShapesOfProducts) {
  const float one = 1;
  const auto multiply = [&](int m, int k, int a_stride) {
    return cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, m, 1, k, &one, nullptr, a_stride, nullptr, 4, &one,
                       nullptr, 4);
  };
  const std::uint64_t before = strata_dry_gpu_count().library_calls;
  EXPECT_EQ(multiply(4, 4, 4), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(multiply(0, 4, 4), CUBLAS_STATUS_SUCCESS) << "nothing to do";
  EXPECT_EQ(multiply(-1, 4, 4), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(4, 4, 3), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(4, 5, 4), CUBLAS_STATUS_INVALID_VALUE) << "B has 5 rows, and 4 between its columns";
  EXPECT_EQ(strata_dry_gpu_count().library_calls - before, 1u);
}

TEST_F(Libraries, KeepProductsInGraphs) {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  const float one = 1;
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cublasSetStream(handle_, stream), CUBLAS_STATUS_SUCCESS);
  const std::uint64_t before = strata_dry_gpu_count().library_calls;
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  EXPECT_EQ(
      cublasSgemm(handle_, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, nullptr, 1, nullptr, 1, &one, nullptr, 1),
      CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSaxpy(handle_, 1, &one, nullptr, 1, nullptr, 1), CUBLAS_STATUS_SUCCESS) << "without effect";
  ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  std::size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 2u);
  EXPECT_EQ(strata_dry_gpu_count().library_calls, before) << "recorded, not submitted";
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(strata_dry_gpu_count().library_calls - before, 2u * 2u);
  EXPECT_EQ(cublasSaxpy(nullptr, 1, &one, nullptr, 1, nullptr, 1), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasSetStream(handle_, nullptr), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

// A number returned directly to the host is a read of an unknown value.
TEST_F(Libraries, GiveZeroForANumberOnTheHost) {
  float result = 3;
  const std::uint64_t before = strata_dry_gpu_count().unknown_reads;
  EXPECT_EQ(cublasSdot(handle_, 1, nullptr, 1, nullptr, 1, &result), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, 0.0F);
  EXPECT_EQ(strata_dry_gpu_count().unknown_reads - before, 1u);
  EXPECT_EQ(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE), CUBLAS_STATUS_SUCCESS);
  result = 3;
  EXPECT_EQ(cublasSdot(handle_, 1, nullptr, 1, nullptr, 1, &result), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, 3.0F) << "it would lie on the device";
  int info = 7;
  EXPECT_EQ(cublasSgetrsBatched(handle_, CUBLAS_OP_N, 1, 1, nullptr, 1, nullptr, nullptr, 1, &info, 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(info, 0);
}

TEST_F(Libraries, HaveOneAlgorithmWithoutWorkspace) {
  cublasLtHandle_t lt = nullptr;
  ASSERT_EQ(cublasLtCreate(&lt), CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  ASSERT_EQ(cublasLtMatmulDescCreate(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, 8, 8, 8), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  std::vector<cublasLtMatmulHeuristicResult_t> results(4);
  int returned = 0;
  EXPECT_EQ(cublasLtMatmulAlgoGetHeuristic(lt, product, layout, layout, layout, layout, preference, 4,
                                           results.data(), &returned),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(returned, 1);
  EXPECT_EQ(results[0].state, CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(results[0].workspaceSize, 0u);
  EXPECT_EQ(cublasLtMatmulPreferenceDestroy(preference), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatrixLayoutDestroy(layout), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtMatmulDescDestroy(product), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtDestroy(lt), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Libraries, RefuseWhatIsNotImplementedOnceAloud) {
  strata_dry_gpu_send_messages_to([](const char* message) { messages().emplace_back(message); });
  cudaArray_t array = nullptr;
  cudaChannelFormatDesc format{};
  EXPECT_EQ(cudaMallocArray(&array, &format, 1, 1, 0), cudaErrorNotSupported);
  EXPECT_EQ(cudaMallocArray(&array, &format, 1, 1, 0), cudaErrorNotSupported);
  curandGenerator_t generator = nullptr;  // LibTorch generates its numbers in its own kernels
  EXPECT_EQ(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT), CURAND_STATUS_INTERNAL_ERROR);
  strata_dry_gpu_send_messages_to(nullptr);
  EXPECT_EQ(messages(),
            (std::vector<std::string>{
                "cudaMallocArray is not implemented; it returned its library's error for unsupported calls",
                "curandCreateGenerator is not implemented; it returned its library's error for unsupported "
                "calls"}));
  const Refused all = refused();
  EXPECT_NE(std::ranges::find(all, std::pair<std::string, std::uint64_t>{"cudaMallocArray", 2}), all.end());
}

TEST_F(Libraries, RecordNothingWithoutAModelledClock) {
  const Refused before = refused();
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_ERROR_NOT_SUPPORTED);
  CUpti_SubscriberHandle subscriber = nullptr;
  EXPECT_EQ(cuptiSubscribe(&subscriber, nullptr, nullptr), CUPTI_ERROR_NOT_SUPPORTED);
  const char* text = nullptr;
  EXPECT_EQ(cuptiGetResultString(CUPTI_ERROR_NOT_SUPPORTED, &text), CUPTI_SUCCESS)
      << "what torch.profiler logs";
  EXPECT_STREQ(text, "CUPTI_ERROR_NOT_SUPPORTED");
  EXPECT_EQ(refused().size() - before.size(), 2u);
  std::vector<strata_dry_gpu_modelled> models(STRATA_DRY_GPU_MODELS);
  EXPECT_EQ(strata_dry_gpu_count_modelled(models.data()), 0);
}

// Compared with the real runtime, which can name its errors without a GPU.
TEST_F(Libraries, NameErrorsAsTheRuntimeDoes) {
  void* const real = dlopen(STRATA_REAL_CUDART, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(real, nullptr) << dlerror();
  using Text = const char* (*)(cudaError_t);
  const auto real_name = reinterpret_cast<Text>(dlsym(real, "cudaGetErrorName"));
  const auto real_text = reinterpret_cast<Text>(dlsym(real, "cudaGetErrorString"));
  ASSERT_NE(real_name, &cudaGetErrorName);
  int compared = 0;
  for (int code = 0; code < 1000; ++code) {
    const auto error = static_cast<cudaError_t>(code);
    if (cudaGetErrorName(error) == std::string("unrecognized error code")) continue;
    EXPECT_STREQ(cudaGetErrorName(error), real_name(error));
    EXPECT_STREQ(cudaGetErrorString(error), real_text(error));
    ++compared;
  }
  EXPECT_GE(compared, 30);
}

// Compared with the real runtime again: the result is returned by value, which no stub could do.
TEST_F(Libraries, DescribeChannelsAsTheRuntimeDoes) {
  void* const real = dlopen(STRATA_REAL_CUDART, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(real, nullptr) << dlerror();
  using Describe = cudaChannelFormatDesc(int, int, int, int, cudaChannelFormatKind);
  auto* const real_channels = reinterpret_cast<Describe*>(dlsym(real, "cudaCreateChannelDesc"));
  ASSERT_NE(real_channels, static_cast<Describe*>(&cudaCreateChannelDesc));
  const auto values = [](const cudaChannelFormatDesc& channels) {
    return std::tuple(channels.x, channels.y, channels.z, channels.w, channels.f);
  };
  for (const auto kind : {cudaChannelFormatKindFloat, cudaChannelFormatKindNone}) {
    for (const int bits : {32, 16, 0, -7}) {
      const cudaChannelFormatDesc ours = cudaCreateChannelDesc(bits, 16, 8, 1, kind);
      EXPECT_EQ(values(ours), std::tuple(bits, 16, 8, 1, kind));
      EXPECT_EQ(values(ours), values(real_channels(bits, 16, 8, 1, kind)));
    }
  }
}

}  // namespace
}  // namespace strata::dry_gpu
