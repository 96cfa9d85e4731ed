// SPDX-License-Identifier: Apache-2.0
// CUPTI's records of the modelled clock's work, with the times of clock_test.cpp: a fill of 1,000,000 bytes
// takes 3,000 ns.
#include <cublas_v2.h>

#include <chrono>
#include <vector>

#include "tests/dry_gpu/cupti_records.hpp"

namespace strata::dry_gpu {
namespace {

std::uint64_t CUPTIAPI twice_as_fast() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) * 2;
}

TEST_F(Cupti, RecordsWorkWithTheCallsThatSubmittedIt) {
  const char kernel = 0;
  std::vector<std::byte> host(1000);
  ASSERT_EQ(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 77),
            CUPTI_SUCCESS);
  fill();
  fill();
  std::uint64_t last = 0;
  ASSERT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
            CUPTI_SUCCESS);
  EXPECT_EQ(last, 77u);
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last),
            CUPTI_ERROR_QUEUE_EMPTY);
  ASSERT_EQ(cudaLaunchKernel(&kernel, {100, 2, 1}, {128, 1, 1}, nullptr, 64, stream_), cudaSuccess);
  ASSERT_EQ(cudaMemcpyAsync(host.data(), memory_, 1000, cudaMemcpyDeviceToHost, stream_), cudaSuccess);
  unsigned long long id = 0;
  ASSERT_EQ(cudaStreamGetId(stream_, &id), cudaSuccess);
  EXPECT_GT(the_requests, 0) << "a client is asked for a buffer before it flushes";
  const Recorded all = flush();

  ASSERT_EQ(all.fills.size(), 2u);
  EXPECT_EQ(all.fills_before_their_calls, 0) << "who reads the records once links them to what it has met";
  for (const CUpti_ActivityMemset4& each : all.fills) {
    EXPECT_EQ(each.end - each.start, 3000u);
    EXPECT_EQ(each.bytes, kFilledBytes);
    EXPECT_EQ(each.value, 7u);
    EXPECT_EQ(each.memoryKind, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    EXPECT_EQ(each.streamId, id);
    ASSERT_TRUE(all.calls.contains(each.correlationId));
    const CUpti_ActivityAPI& call = all.calls.at(each.correlationId);
    EXPECT_EQ(call.cbid, static_cast<CUpti_CallbackId>(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020));
    EXPECT_LE(call.start, each.start);
    EXPECT_EQ(call.returnValue, 0u);
    EXPECT_EQ(all.external.at(each.correlationId), 77u);
  }
  EXPECT_GE(all.fills[1].start, all.fills[0].end);
  ASSERT_EQ(all.kernels.size(), 1u);
  const CUpti_ActivityKernel10& kernel_record = all.kernels[0];
  EXPECT_STREQ(kernel_record.name, "unnamed kernel");
  EXPECT_EQ(kernel_record.end - kernel_record.start, 1000u + 819) << "25,600 threads, 16 bytes each";
  EXPECT_EQ(kernel_record.gridX, 100);
  EXPECT_EQ(kernel_record.gridY, 2);
  EXPECT_EQ(kernel_record.blockX, 128);
  EXPECT_EQ(kernel_record.dynamicSharedMemory, 64);
  EXPECT_GE(kernel_record.start, all.fills[1].end);
  EXPECT_FALSE(all.external.contains(kernel_record.correlationId));
  ASSERT_EQ(all.copies.size(), 1u);
  EXPECT_EQ(all.copies[0].copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_DTOH);
  EXPECT_EQ(all.copies[0].dstKind, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
  EXPECT_EQ(all.copies[0].end - all.copies[0].start, 1100u);
  EXPECT_LE(all.copies[0].end, all.calls.at(all.copies[0].correlationId).end) << "the host waited for it";
}

TEST_F(Cupti, NamesProductsByWhatWasAsked) {
  cublasHandle_t handle = nullptr;
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  const float one = 1;
  ASSERT_EQ(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, 64, 32, 16, &one, memory_,
                                       CUDA_R_16BF, 16, 0, memory_, CUDA_R_16BF, 16, 0, &one, memory_,
                                       CUDA_R_16BF, 64, 0, 5, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  const Recorded all = flush();
  ASSERT_EQ(all.kernels.size(), 1u);
  EXPECT_STREQ(all.kernels[0].name, "cublasGemmStridedBatchedEx bf16 tn 64x32x16 batch 5");
  const CUpti_ActivityAPI& launch = all.calls.at(all.kernels[0].correlationId);
  EXPECT_EQ(launch.kind, CUPTI_ACTIVITY_KIND_DRIVER) << "as cuBLAS does for 16 bits";
  EXPECT_EQ(launch.cbid, static_cast<CUpti_CallbackId>(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx));
  EXPECT_EQ(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Cupti, FillsAsManyBuffersAsItTakes) {
  for (int each = 0; each < 40; ++each) fill();
  EXPECT_EQ(flush().fills.size(), 40u);
}

TEST_F(Cupti, RecordsOnlyWhatIsEnabled) {
  ASSERT_EQ(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMSET), CUPTI_SUCCESS);
  fill();
  ASSERT_EQ(cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, 0), CUPTI_SUCCESS);
  fill();
  ASSERT_EQ(cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020, 1), CUPTI_SUCCESS);
  const Recorded all = flush();
  EXPECT_EQ(all.fills.size(), 0u);
  EXPECT_EQ(all.calls.size(), 1u);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION), CUPTI_ERROR_INVALID_KIND);
}

// 100,000 blocks of 1,024 threads: 1,638,400,000 bytes, 3.28 ms.
TEST_F(Cupti, LetsTheHostWaitWhileItRecords) {
  const char kernel = 0;
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(cudaLaunchKernel(&kernel, {100'000, 1, 1}, {1024, 1, 1}, nullptr, 0, stream_), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream_), cudaErrorNotReady);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::microseconds(3277));
  EXPECT_EQ(cudaStreamQuery(stream_), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Cupti, TellsTimesOnTheClientsOwnClock) {
  ASSERT_EQ(cuptiActivityRegisterTimestampCallback(twice_as_fast), CUPTI_SUCCESS);
  const std::uint64_t begin = twice_as_fast();
  const char kernel = 0;
  ASSERT_EQ(cudaLaunchKernel(&kernel, {100'000, 1, 1}, {1024, 1, 1}, nullptr, 0, stream_), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  const Recorded all = flush();
  ASSERT_EQ(all.kernels.size(), 1u);
  const CUpti_ActivityKernel10& record = all.kernels[0];
  EXPECT_NEAR(static_cast<double>(record.end - record.start), 2.0 * (1000 + 3'276'800), 65536.0);
  EXPECT_GE(record.start + 20'000, begin);
  EXPECT_LE(record.end, twice_as_fast());
}

TEST_F(Cupti, HasOneSubscriber) {
  CUpti_SubscriberHandle first = nullptr;
  CUpti_SubscriberHandle second = nullptr;
  static std::vector<CUcontext> contexts;
  const auto callback = [](void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
    if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
      contexts.push_back(static_cast<const CUpti_ResourceData*>(data)->context);
  };
  ASSERT_EQ(cuptiSubscribe(&first, callback, nullptr), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&second, callback, nullptr), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  ASSERT_EQ(cuptiEnableCallback(1, first, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED),
            CUPTI_SUCCESS);
  EXPECT_EQ(cuptiEnableCallback(1, first, CUPTI_CB_DOMAIN_RUNTIME_API,
                                CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000),
            CUPTI_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(cudaSetDevice(7), cudaSuccess);
  void* pointer = nullptr;
  ASSERT_EQ(cudaMalloc(&pointer, 1), cudaSuccess);
  ASSERT_EQ(contexts.size(), 1u) << "of a device that was not used before";
  CUcontext current = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(contexts[0], current);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiUnsubscribe(second), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_F(Cupti, NamesTheSubscriberThatItHas) {
  const CUpti_CallbackFunc callback = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
  CUpti_SubscriberParams params{};
  params.structSize = sizeof params;
  params.subscriberName = "Strata";
  params.oldSubscriberName = holder;
  params.oldSubscriberSize = sizeof holder;
  CUpti_SubscriberHandle first = nullptr;
  CUpti_SubscriberHandle second = nullptr;
  ASSERT_EQ(cuptiSubscribe_v2(&first, callback, nullptr, &params), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe_v2(&second, callback, nullptr, &params),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_STREQ(holder, "CUPTI for Strata");
  ASSERT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS);
  // The older function gives no name.
  ASSERT_EQ(cuptiSubscribe(&first, callback, nullptr), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe_v2(&second, callback, nullptr, &params),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_STREQ(holder, "");
  ASSERT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS);
}

TEST_F(Cupti, NamesFunctions) {
  const char* name = nullptr;
  ASSERT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                                 &name),
            CUPTI_SUCCESS);
  EXPECT_STREQ(name, "cudaLaunchKernel_v7000");
  ASSERT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, &name),
            CUPTI_SUCCESS);
  EXPECT_STREQ(name, "cuLaunchKernelEx");
  EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 999'999, &name), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST_F(Cupti, NumbersThreadsAsTheSystemDoes) {
  EXPECT_EQ(cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), CUPTI_SUCCESS);
  std::uint8_t zeroed = 1;
  std::size_t bytes = sizeof zeroed;
  EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &zeroed),
            CUPTI_SUCCESS);
}

}  // namespace
}  // namespace strata::dry_gpu
