// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/store_place.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

class StorePlaceTest : public testing::Test {
 protected:
  void write_store(const StorePlace& place) const { std::ofstream(place.database()) << "a store"; }
  RunFolder folder_;
};

TEST_F(StorePlaceTest, BuildsInTheRankFolderWhereItIsLocal) {
  const StorePlace place = StorePlace::create(folder_.rank(), kPid, false);
  EXPECT_EQ(place.database(), folder_.store(kPid));
  EXPECT_EQ(place.spool_folder(), folder_.spools(kPid));
  write_store(place);
  place.settle();
  EXPECT_TRUE(std::filesystem::exists(folder_.store(kPid)));
  EXPECT_FALSE(std::filesystem::exists(folder_.spools(kPid)));
}

TEST_F(StorePlaceTest, BuildsElsewhereAndMovesTheStoreHome) {
  const StorePlace place = StorePlace::create(folder_.rank(), kPid, true);
  EXPECT_NE(place.database().parent_path(), folder_.rank());
  EXPECT_TRUE(std::filesystem::exists(folder_.rank() / "4711.local"));
  write_store(place);
  EXPECT_EQ(StorePlace::find(folder_.rank(), kPid)->database(), place.database());
  place.settle();
  EXPECT_TRUE(std::filesystem::exists(folder_.store(kPid)));
  EXPECT_FALSE(std::filesystem::exists(folder_.rank() / "4711.local"));
  EXPECT_FALSE(std::filesystem::exists(place.database().parent_path()));
  EXPECT_EQ(StorePlace::find(folder_.rank(), kPid)->database(), folder_.store(kPid));
}

TEST_F(StorePlaceTest, DoesNotFollowAnotherMachinesNote) {
  std::filesystem::create_directories(folder_.rank());
  std::ofstream(folder_.rank() / "4711.local") << "another-machine\n" << folder_.path().string() << '\n';
  EXPECT_FALSE(StorePlace::find(folder_.rank(), kPid).has_value());
}

// A run from an untrusted source may name any folder.
TEST_F(StorePlaceTest, DoesNotFollowANoteToAFolderThatKnowsNothingOfIt) {
  const StorePlace others = StorePlace::create(folder_.path() / "others", kPid, true);
  write_store(others);
  const StorePlace own = StorePlace::create(folder_.rank(), kPid, true);
  std::filesystem::copy_file(folder_.path() / "others/4711.local", folder_.rank() / "4711.local",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_FALSE(StorePlace::find(folder_.rank(), kPid).has_value());
  EXPECT_TRUE(StorePlace::find(folder_.path() / "others", kPid).has_value());
  std::filesystem::rename(folder_.path() / "others", folder_.path() / "renamed");
  EXPECT_TRUE(StorePlace::find(folder_.path() / "renamed", kPid).has_value());
  for (const StorePlace& place : {others, own}) std::filesystem::remove_all(place.database().parent_path());
}

TEST_F(StorePlaceTest, KeepsWhatElseIsInTheFolder) {
  const StorePlace place = StorePlace::create(folder_.rank(), kPid, true);
  const std::filesystem::path elsewhere = place.database().parent_path();
  write_store(place);
  std::ofstream(elsewhere / "somebody's") << "file";
  place.settle();
  EXPECT_TRUE(std::filesystem::exists(elsewhere / "somebody's"));
  std::filesystem::remove_all(elsewhere);
}

TEST_F(StorePlaceTest, AMoveThatFailsLosesNothingAndCanBeRepeated) {
  const StorePlace place = StorePlace::create(folder_.rank(), kPid, true);
  write_store(place);
  const std::filesystem::path in_the_way = folder_.rank() / "4711.sqlite.part";
  std::filesystem::create_directory(in_the_way);
  EXPECT_THROW(place.settle(), std::filesystem::filesystem_error);
  EXPECT_TRUE(std::filesystem::exists(place.spool_folder()));
  EXPECT_TRUE(std::filesystem::exists(place.database()));
  EXPECT_TRUE(std::filesystem::exists(folder_.rank() / "4711.local"));
  std::filesystem::remove(in_the_way);
  place.settle();
  EXPECT_TRUE(std::filesystem::exists(folder_.store(kPid)));
  EXPECT_FALSE(place.is_unsettled());
}

}  // namespace
}  // namespace strata
