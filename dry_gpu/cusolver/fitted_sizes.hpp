// SPDX-License-Identifier: Apache-2.0
// The memory that cuSOLVER's decompositions request. NVIDIA does not document the sizes, and the library
// cannot be asked without a device. These formulas are fitted to the requests of PyTorch's torch.linalg on an
// H200 (cuSOLVER of CUDA 13.0, tests/data/card-h200/workspaces.jsonl; decision 034). Every measured size is
// reproduced to the byte. float was measured for all of them, double for `jacobi_svd`; complex types were not
// measured.
//
// All sizes are in elements of the matrix's type, for matrices of `rows` by `columns`, each at least 0. They
// never decrease when a side grows, except from a non-square matrix to a square one, and never overflow.
#pragma once

#include <cstdint>

namespace strata::dry_gpu::fitted {

std::int64_t jacobi_svd(std::int64_t rows, std::int64_t columns);  // gesvdj
std::int64_t jacobi_eigenvalues(std::int64_t n);                   // syevj, heevj
std::int64_t symmetric_eigenvalues(std::int64_t n);                // syevd, heevd: divide and conquer
std::int64_t eigenvalues(std::int64_t n);                          // geev
std::int64_t qr(std::int64_t rows, std::int64_t columns);          // geqrf
std::int64_t orthogonal(std::int64_t rows, std::int64_t columns);  // orgqr, ungqr
std::int64_t cholesky(std::int64_t n);                             // potrf
std::int64_t lu(std::int64_t rows, std::int64_t columns);          // getrf

}  // namespace strata::dry_gpu::fitted
