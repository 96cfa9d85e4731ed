// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/account/readers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "dry_gpu/device/account/account.hpp"

namespace strata::dry_gpu {
namespace {

TEST(Readers, AreNamedByTheOperatorOrTheFunction) {
  EXPECT_EQ(reader_of_symbol("_ZN2at4_ops19_local_scalar_dense4callERKNS_6TensorE"),
            "aten::_local_scalar_dense");
  EXPECT_EQ(reader_of_symbol("_ZN2at4_ops7nonzero10redispatchEN3c1014DispatchKeySetERKNS_6TensorE"),
            "aten::nonzero");
  EXPECT_TRUE(is_operator_symbol("_ZN2at4_ops7nonzero4callERKNS_6TensorE"));
  EXPECT_FALSE(is_operator_symbol("_ZN2at6native12nonzero_cudaERKNS_6TensorE"));
  EXPECT_EQ(reader_of_symbol("_ZN2at6native12nonzero_cudaERKNS_6TensorE"), "at::native::nonzero_cuda");
  EXPECT_EQ(reader_of_symbol("_ZN2at6native12_GLOBAL__N_14copyIfEEvRNS_6TensorE"), "at::native::copy");
  EXPECT_EQ(reader_of_symbol("main"), "main");
  EXPECT_EQ(reader_of_symbol("_ZN2at4_opsX"), "_ZN2at4_opsX");
}

const ReaderEntry* entry_of(const std::string& reader) {
  for (const ReaderEntry& entry : account().readers) {
    if (reader == entry.name.data()) return &entry;
  }
  return nullptr;
}

TEST(Readers, HaveARowEachAsFarAsTheyGo) {
  account_unknown_read("aten::a", 4);
  account_unknown_read("aten::a", 8);
  account_answered_read("aten::a");
  account_answered_read(std::string(300, 'n'));
  ASSERT_NE(entry_of("aten::a"), nullptr);
  EXPECT_EQ(entry_of("aten::a")->unknown_reads, 2u);
  EXPECT_EQ(entry_of("aten::a")->unknown_bytes, 12u);
  EXPECT_EQ(entry_of("aten::a")->answered_reads, 1u);
  ASSERT_NE(entry_of(std::string(103, 'n')), nullptr);
  for (int other = 0; other < 70; ++other) account_unknown_read("aten::other" + std::to_string(other), 1);
  const ReaderEntry& last = account().readers.back();
  EXPECT_STREQ(last.name.data(), "others");
  EXPECT_EQ(last.unknown_reads, 70u - 61u) << "two of the first 63 rows are above";
}

}  // namespace
}  // namespace strata::dry_gpu
