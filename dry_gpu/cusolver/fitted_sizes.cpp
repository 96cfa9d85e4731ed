// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cusolver/fitted_sizes.hpp"

#include <algorithm>

namespace strata::dry_gpu::fitted {
namespace {

// A square of this side has more bytes than any device; larger sides count as this one, so that nothing
// overflows.
constexpr std::int64_t kLongestSide = std::int64_t{1} << 28;

std::int64_t side(std::int64_t length) {
  return std::clamp<std::int64_t>(length, 0, kLongestSide);
}

std::int64_t blocks(std::int64_t n) {
  return (n + 31) / 32;
}

std::int64_t rounded_up(std::int64_t elements, std::int64_t multiple) {
  return (elements + multiple - 1) / multiple * multiple;
}

// The data of Jacobi's method for the pairs of blocks that it rotates.
std::int64_t turns(std::int64_t n) {
  return 4 * blocks(n) * blocks(n) + blocks(n) + 1024;
}

// A matrix that is not square is first made one, of its shorter side, by a QR factorisation; a wide one is
// transposed before that, in a copy.
std::int64_t tall_jacobi_svd(std::int64_t longer, std::int64_t shorter) {
  const std::int64_t factorisation = longer * shorter + 64 * longer + 256 * (shorter + 256);
  return factorisation + 2 * shorter * shorter + 2 * shorter + 256;
}

}  // namespace

std::int64_t jacobi_svd(std::int64_t rows, std::int64_t columns) {
  const std::int64_t m = side(rows), n = side(columns);
  if (m > n) return tall_jacobi_svd(m, n);
  if (m < n) return tall_jacobi_svd(n, m) + m * n;
  return 2 * n * n + 64 * n + n + rounded_up(turns(n), 32);
}

std::int64_t jacobi_eigenvalues(std::int64_t order) {
  const std::int64_t n = side(order);
  return n * n + 32 * n + n + turns(n);
}

std::int64_t symmetric_eigenvalues(std::int64_t order) {
  const std::int64_t n = side(order);
  return 4 * n * n + 127 * n + 32995;
}

// The reduction to Hessenberg form needs as much as an orthogonal matrix where that is more than a copy.
std::int64_t eigenvalues(std::int64_t order) {
  const std::int64_t n = side(order);
  return std::max(n * n + 128, orthogonal(n, n)) + 4 * n;
}

// However few columns, a panel has 256.
std::int64_t qr(std::int64_t, std::int64_t columns) {
  return 1024 * (std::max<std::int64_t>(side(columns), 256) + 512) + 32;
}

// Panels of 128 columns, or of all where there are fewer.
std::int64_t orthogonal(std::int64_t rows, std::int64_t columns) {
  const std::int64_t m = side(rows), n = side(columns);
  return 128 * (m + n + 128) + std::min<std::int64_t>(n, 128) * n + 256;
}

std::int64_t cholesky(std::int64_t order) {
  const std::int64_t n = side(order);
  return rounded_up(blocks(n) * blocks(n), 8) + 32;
}

std::int64_t lu(std::int64_t rows, std::int64_t columns) {
  const std::int64_t n = std::min(side(rows), side(columns));
  const std::int64_t beyond = std::max<std::int64_t>(n - 1024, 0);  // where panels are split
  return 2 * n + std::min<std::int64_t>(2 * n, 1024) + 31 * beyond / 4 + 64;
}

}  // namespace strata::dry_gpu::fitted
