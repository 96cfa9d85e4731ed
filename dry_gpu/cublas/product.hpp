// SPDX-License-Identifier: Apache-2.0
// Matrix products, submitted by both cuBLAS libraries.
#pragma once

#include <cstdint>
#include <string_view>

#include "dry_gpu/clock/roofline.hpp"
#include "dry_gpu/cublas/call.hpp"

namespace strata::dry_gpu {

// C (m by n) = op(A) (m by k) times op(B) (k by n), `batch` times.
struct ProductCall {
  std::string_view function;  // a literal
  cublasOperation_t transpose_a, transpose_b;
  std::int64_t m, n, k, batch;
  cudaDataType a, b, c;
  cublasComputeType_t compute;
};

// The same checks as in cuBLAS. Leading dimensions refer to columns, cuBLAS's order.
bool is_valid(const ProductCall& call, std::int64_t a_stride, std::int64_t b_stride, std::int64_t c_stride);

// Takes its place in the stream, and is counted as a call that computed nothing.
cublasStatus_t submit_product(cudaStream_t stream, const ProductCall& call);

// Size of the type in bytes; 0 if unknown.
std::uint32_t bytes_of(cudaDataType type);
// The multiplying units.
Arithmetic arithmetic_of(cublasComputeType_t compute, cudaDataType a);

}  // namespace strata::dry_gpu
