// SPDX-License-Identifier: Apache-2.0
// Functions with a single number as result, on the host or on the device according to the handle's pointer
// mode: on the host it is a read of an unknown value.
#include <span>

#include "dry_gpu/cublas/call.hpp"
#include "dry_gpu/device/unknown_reads.hpp"

using namespace strata::dry_gpu;

namespace {

template <typename Number>
cublasStatus_t answer(cublasHandle_t handle, Number* result) {
  return call_cublas(handle, [&](cublasContext& context) {
    if (result == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
    const cudaError_t error = call_on(context.stream, [&](Machine& machine, ThreadState&, CUstream_st&) {
      machine.counts().library_calls.add();
      if (context.pointer_mode == CUBLAS_POINTER_MODE_HOST) {
        read_unknown(machine, std::as_writable_bytes(std::span(result, 1)));
      } else {
        machine.contents().forget_block(address_of(result));
      }
      return cudaSuccess;
    });
    return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
  });
}

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): TYPE is a type
#define STRATA_DOT(NAME, TYPE)                                                                        \
  cublasStatus_t NAME(cublasHandle_t handle, int, const TYPE*, int, const TYPE*, int, TYPE* result) { \
    return answer(handle, result);                                                                    \
  }
#define STRATA_REDUCTION(NAME, TYPE, RESULT)                                          \
  cublasStatus_t NAME(cublasHandle_t handle, int, const TYPE*, int, RESULT* result) { \
    return answer(handle, result);                                                    \
  }
// NOLINTEND(bugprone-macro-parentheses)

STRATA_DOT(cublasSdot_v2, float)
STRATA_DOT(cublasDdot_v2, double)
STRATA_DOT(cublasCdotu_v2, cuComplex)
STRATA_DOT(cublasCdotc_v2, cuComplex)
STRATA_DOT(cublasZdotu_v2, cuDoubleComplex)
STRATA_DOT(cublasZdotc_v2, cuDoubleComplex)

STRATA_REDUCTION(cublasSnrm2_v2, float, float)
STRATA_REDUCTION(cublasDnrm2_v2, double, double)
STRATA_REDUCTION(cublasScnrm2_v2, cuComplex, float)
STRATA_REDUCTION(cublasDznrm2_v2, cuDoubleComplex, double)
STRATA_REDUCTION(cublasSasum_v2, float, float)
STRATA_REDUCTION(cublasDasum_v2, double, double)
STRATA_REDUCTION(cublasScasum_v2, cuComplex, float)
STRATA_REDUCTION(cublasDzasum_v2, cuDoubleComplex, double)
STRATA_REDUCTION(cublasIsamax_v2, float, int)
STRATA_REDUCTION(cublasIdamax_v2, double, int)
STRATA_REDUCTION(cublasIcamax_v2, cuComplex, int)
STRATA_REDUCTION(cublasIzamax_v2, cuDoubleComplex, int)
STRATA_REDUCTION(cublasIsamin_v2, float, int)
STRATA_REDUCTION(cublasIdamin_v2, double, int)
STRATA_REDUCTION(cublasIcamin_v2, cuComplex, int)
STRATA_REDUCTION(cublasIzamin_v2, cuDoubleComplex, int)

cublasStatus_t cublasDotEx(cublasHandle_t handle, int, const void*, cudaDataType, int, const void*,
                           cudaDataType, int, void* result, cudaDataType result_type, cudaDataType) {
  switch (result_type) {
    case CUDA_R_16F:
    case CUDA_R_16BF:
      return answer(handle, static_cast<std::uint16_t*>(result));
    case CUDA_R_32F:
      return answer(handle, static_cast<float*>(result));
    case CUDA_R_64F:
      return answer(handle, static_cast<double*>(result));
    case CUDA_C_32F:
      return answer(handle, static_cast<cuComplex*>(result));
    case CUDA_C_64F:
      return answer(handle, static_cast<cuDoubleComplex*>(result));
    default:
      return CUBLAS_STATUS_NOT_SUPPORTED;
  }
}
