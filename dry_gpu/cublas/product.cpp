// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cublas/product.hpp"

#include <algorithm>
#include <string>

#include "dry_gpu/cupti/api_call.hpp"

namespace strata::dry_gpu {
namespace {

char letter_of(cublasOperation_t operation) {
  switch (operation) {
    case CUBLAS_OP_N:
      return 'n';
    case CUBLAS_OP_T:
      return 't';
    default:
      return 'c';
  }
}

std::string_view name_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::kFp64:
      return "fp64";
    case Arithmetic::kFp32:
      return "fp32";
    case Arithmetic::kTf32:
      return "tf32";
    case Arithmetic::kFp16:
      return "fp16";
    case Arithmetic::kBf16:
      return "bf16";
    case Arithmetic::kFp8:
      return "8bit";
  }
  return "fp32";
}

bool is_complex(cudaDataType type) {
  return type == CUDA_C_16F || type == CUDA_C_16BF || type == CUDA_C_32F || type == CUDA_C_64F;
}

// The names of cuBLAS's kernels are not documented: use the function and its request.
std::string name_of(const ProductCall& call, Arithmetic arithmetic) {
  std::string name(call.function);
  name += ' ';
  name += name_of(arithmetic);
  name += ' ';
  name += letter_of(call.transpose_a);
  name += letter_of(call.transpose_b);
  name += ' ' + std::to_string(call.m) + 'x' + std::to_string(call.n) + 'x' + std::to_string(call.k);
  if (call.batch != 1) name += " batch " + std::to_string(call.batch);
  return name;
}

Work work_of(Clock& clock, const ProductCall& call) {
  const Arithmetic arithmetic = arithmetic_of(call.compute, call.a);
  const Product product{call.m,           call.n,           call.k,           call.batch,        arithmetic,
                        bytes_of(call.a), bytes_of(call.b), bytes_of(call.c), is_complex(call.a)};
  // Its grid is not known either.
  return {clock.roofline().product(product),
          KernelWork{clock.keep(name_of(call, arithmetic)), {1, 1, 1}, {1, 1, 1}, 0}};
}

// As cuBLAS itself launches: from compute capability 9 on it calls the driver for operands of 16 bits and
// less, otherwise the runtime that it contains.
ApiCall launch_of(const ProductCall& call) {
  const MachineState state = machine();
  const bool is_new = state.machine != nullptr && state.machine->profile().compute_major >= 9;
  return is_new && bytes_of(call.a) <= 2 ? ApiCall(CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx)
                                         : ApiCall(CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000);
}

}  // namespace

bool is_valid(const ProductCall& call, std::int64_t a_stride, std::int64_t b_stride, std::int64_t c_stride) {
  if (call.m < 0 || call.n < 0 || call.k < 0 || call.batch < 0) return false;
  const auto is_operation = [](cublasOperation_t operation) {
    return operation == CUBLAS_OP_N || operation == CUBLAS_OP_T || operation == CUBLAS_OP_C;
  };
  if (!is_operation(call.transpose_a) || !is_operation(call.transpose_b)) return false;
  const std::int64_t a_rows = call.transpose_a == CUBLAS_OP_N ? call.m : call.k;
  const std::int64_t b_rows = call.transpose_b == CUBLAS_OP_N ? call.k : call.n;
  return a_stride >= std::max<std::int64_t>(1, a_rows) && b_stride >= std::max<std::int64_t>(1, b_rows) &&
         c_stride >= std::max<std::int64_t>(1, call.m);
}

cublasStatus_t submit_product(cudaStream_t handle, const ProductCall& call) {
  ApiCall recorded = launch_of(call);
  const cudaError_t error = call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    Clock* const clock = machine.clock();
    if (clock == nullptr) return submit_library_call(machine, stream);
    const Work work = work_of(*clock, call);
    return machine.streams().submit(&stream, cudaGraphNodeTypeKernel,
                                    [&counts = machine.counts(), clock, work](CUstream_st& on) {
                                      counts.library_calls.add();
                                      clock->run(on, work);
                                    });
  });
  return recorded.answer(error) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

std::uint32_t bytes_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_8I:
    case CUDA_R_8U:
    case CUDA_R_8F_E4M3:
    case CUDA_R_8F_E5M2:
    case CUDA_R_4F_E2M1:  // half a byte; with its scales, about this
      return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return 2;
    case CUDA_R_32F:
    case CUDA_R_32I:
    case CUDA_C_16F:
    case CUDA_C_16BF:
      return 4;
    case CUDA_R_64F:
    case CUDA_C_32F:
      return 8;
    case CUDA_C_64F:
      return 16;
    default:
      return 0;
  }
}

Arithmetic arithmetic_of(cublasComputeType_t compute, cudaDataType a) {
  switch (compute) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
      return Arithmetic::kFp64;
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return Arithmetic::kTf32;
    case CUBLAS_COMPUTE_32F_FAST_16F:
      return Arithmetic::kFp16;
    case CUBLAS_COMPUTE_32F_FAST_16BF:
      return Arithmetic::kBf16;
    default:
      break;
  }
  switch (a) {
    case CUDA_R_16F:
    case CUDA_C_16F:
      return Arithmetic::kFp16;
    case CUDA_R_16BF:
    case CUDA_C_16BF:
      return Arithmetic::kBf16;
    case CUDA_R_64F:
    case CUDA_C_64F:
      return Arithmetic::kFp64;
    case CUDA_R_32F:
    case CUDA_C_32F:
      return Arithmetic::kFp32;
    default:
      return Arithmetic::kFp8;  // bytes: FP8 and integers have one rate where a device has both
  }
}

}  // namespace strata::dry_gpu
