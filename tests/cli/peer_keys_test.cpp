// SPDX-License-Identifier: Apache-2.0
#include "host/cli/job/peer_keys.hpp"

#include <gtest/gtest.h>

namespace strata::cli {
namespace {

TEST(PeerKeys, KeepWhatIsWritten) {
  PeerKeys keys(8);
  EXPECT_FALSE(keys.value("a"));
  keys.set("a", "one");
  keys.append("a", " two");
  EXPECT_EQ(keys.value("a"), "one two");
  EXPECT_TRUE(keys.erase("a"));
  EXPECT_FALSE(keys.erase("a"));
  EXPECT_FALSE(keys.value("a"));
}

TEST(PeerKeys, CompareAndSetAsTorchDoes) {
  PeerKeys keys(8);
  EXPECT_EQ(keys.compare_and_set("a", "x", "y"), "x") << "there is none, and one was expected";
  EXPECT_FALSE(keys.has("a"));
  EXPECT_EQ(keys.compare_and_set("a", "", "y"), "y");
  EXPECT_EQ(keys.compare_and_set("a", "x", "z"), "y");
  EXPECT_EQ(keys.compare_and_set("a", "y", "z"), "z");
  EXPECT_EQ(keys.value("a"), "z");
}

TEST(PeerKeys, AllRanksAddTheSame) {
  PeerKeys keys(512);
  EXPECT_EQ(keys.add(3, "barrier", 1), 512);
  EXPECT_EQ(keys.add(3, "barrier", 0), 512);
  EXPECT_EQ(keys.add(7, "barrier", 1), 512) << "it is one of those that were counted";
  EXPECT_EQ(keys.add(3, "barrier", 1), 1024);
  EXPECT_EQ(keys.value("barrier"), "1024");
}

TEST(PeerKeys, ACompleteCounterHasALastRank) {
  PeerKeys keys(8);
  EXPECT_FALSE(keys.value("barrier:1:last_worker"));
  keys.add(0, "barrier:1", 1);
  EXPECT_EQ(keys.value("barrier:1:last_worker"), "1");
  EXPECT_FALSE(keys.value("barrier:12")) << "another counter";
}

TEST(PeerKeys, OtherRanksWriteWhatThisOneWrites) {
  PeerKeys keys(8);
  keys.set("rank/3", "mine");
  keys.set("epoch1/rank/3", "first");
  keys.set("epoch2/rank/3", "second");
  EXPECT_EQ(keys.value("rank/5"), "mine");
  EXPECT_EQ(keys.value("epoch2/rank/5"), "second") << "the key with the fewest other numbers";
  EXPECT_EQ(keys.value("epoch1/rank/0"), "first");
  EXPECT_FALSE(keys.value("name/5")) << "nothing of the kind was written";
  EXPECT_FALSE(keys.has("rank/5")) << "a check looks for what was written";
}

TEST(PeerKeys, AnIdOfNcclMayBeAny) {
  const PeerKeys keys(8);
  ASSERT_TRUE(keys.value("default_pg/0//cuda//0"));
  EXPECT_EQ(keys.value("default_pg/0//cuda//UniqueNCCLID:0")->size(), 128U);
  EXPECT_FALSE(keys.value("default_pg/0//cpu//0"));
}

}  // namespace
}  // namespace strata::cli
