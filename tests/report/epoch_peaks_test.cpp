// SPDX-License-Identifier: Apache-2.0
#include "host/report/epoch_peaks.hpp"

#include <gtest/gtest.h>

namespace strata::report {
namespace {

using analysis::Scope;
using analysis::ScopeKind;

Scope epoch(std::int64_t index, std::uint64_t peak_bytes) {
  Scope scope;
  scope.kind = ScopeKind::kEpoch;
  scope.index = index;
  scope.first_step = 2 * index;
  scope.last_step = 2 * index + 1;
  scope.of.at(static_cast<std::size_t>(analysis::Measure::kAllocated)).emplace().peak_bytes = peak_bytes;
  return scope;
}

Scope other(ScopeKind kind) {
  Scope scope;
  scope.kind = kind;
  return scope;
}

TEST(EpochPeaks, HaveARowForEachEpochAndNoneForTheRest) {
  EXPECT_EQ(epoch_peaks({other(ScopeKind::kRun), epoch(0, 1'916'697'600), epoch(1, 7)}),
            "epoch,peak_memory_bytes,peak_requested_bytes,peak_reserved_bytes,peak_device_used_bytes,"
            "peak_resident_bytes,first_step,last_step\n"
            "0,1916697600,,,,,0,1\n"
            "1,7,,,,,2,3\n");
}

TEST(EpochPeaks, AreNoFileWithoutEpochs) {
  EXPECT_EQ(epoch_peaks({other(ScopeKind::kRun), other(ScopeKind::kStep)}), "");
}

}  // namespace
}  // namespace strata::report
