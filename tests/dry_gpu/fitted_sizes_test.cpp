// SPDX-License-Identifier: Apache-2.0
// Formulas of workspaces beyond the measured range: results stay plausible. The measured sizes are in the
// tests of each library and in test_workspaces_fitted.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "dry_gpu/cufft/fitted_sizes.hpp"
#include "dry_gpu/cusolver/fitted_sizes.hpp"

namespace strata::dry_gpu {
namespace {

// Beyond measured sizes: no answer is negative, and none shrinks when a side grows.
TEST(CusolverFormulas, GrowWithTheMatrix) {
  const auto grows = [](auto size, std::int64_t first = 0) {
    std::int64_t last = 0;
    for (std::int64_t n = first; n < first + 5000; n += 1 + n / 50) {
      const std::int64_t now = size(n);
      EXPECT_GE(now, std::max<std::int64_t>(last, 1)) << n;
      last = now;
    }
    EXPECT_GE(size(std::numeric_limits<std::int64_t>::max()), last);
  };
  for (const std::int64_t fixed : {std::int64_t{0}, std::int64_t{1}, std::int64_t{100}, std::int64_t{1000}}) {
    // A non-square matrix needs more than the next larger square one.
    grows([&](std::int64_t n) { return fitted::jacobi_svd(n, fixed); }, fixed + 1);
    grows([&](std::int64_t n) { return fitted::jacobi_svd(fixed, n); }, fixed + 1);
    EXPECT_GT(fitted::jacobi_svd(fixed + 1, fixed), fitted::jacobi_svd(fixed, fixed));
    grows([&](std::int64_t n) { return fitted::qr(fixed, n); });
    grows([&](std::int64_t n) { return fitted::orthogonal(n, fixed); });
    grows([&](std::int64_t n) { return fitted::lu(n, fixed); });
  }
  grows([](std::int64_t n) { return fitted::jacobi_svd(n, n); });
  grows([](std::int64_t n) { return fitted::jacobi_eigenvalues(n); });
  grows([](std::int64_t n) { return fitted::symmetric_eigenvalues(n); });
  grows([](std::int64_t n) { return fitted::eigenvalues(n); });
  grows([](std::int64_t n) { return fitted::orthogonal(n, n); });
  grows([](std::int64_t n) { return fitted::cholesky(n); });
  grows([](std::int64_t n) { return fitted::lu(n, n); });
}

TEST(CufftFormula, GrowsWithTheBatchAndNeverOverflows) {
  constexpr std::uint64_t kShared = 232448;
  for (long long length = 1; length < 3000; length += 1 + length / 60) {
    const std::array<long long, 1> lengths{length};
    for (const bool is_real : {false, true}) {
      std::uint64_t last = 0;
      for (const long long batch : {1LL, 2LL, 3LL, 100LL, 1LL << 40, 1LL << 62}) {
        const std::uint64_t now =
            fitted::work_area_bytes({.lengths = lengths, .batch = batch, .is_real = is_real}, kShared);
        EXPECT_GE(now, last) << length << " times " << batch;
        last = now;
      }
    }
  }
  const std::array<long long, 3> huge{1LL << 62, (1LL << 40) + 15, 1LL << 62};
  EXPECT_GT(fitted::work_area_bytes({.lengths = huge, .batch = 1LL << 62}, kShared), std::uint64_t{1} << 62);
}

}  // namespace
}  // namespace strata::dry_gpu
