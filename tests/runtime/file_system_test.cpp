// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/file_system.hpp"

#include <gtest/gtest.h>

#include <system_error>

namespace strata {
namespace {

TEST(FileSystemOf, NamesTheLocalOnes) {
  const FileSystem shared_memory = file_system_of("/dev/shm");
  EXPECT_EQ(shared_memory.name, "tmpfs");
  EXPECT_FALSE(shared_memory.network);
}

TEST(FileSystemOf, TellsTheTypeOfOneThatItDoesNotKnow) {
  EXPECT_EQ(file_system_of("/proc").name, "type 0x9fa0");
  EXPECT_FALSE(file_system_of("/proc").network);
}

TEST(FileSystemOf, ThrowsForAFolderThatIsNotThere) {
  EXPECT_THROW(file_system_of("/no/such/folder"), std::system_error);
}

}  // namespace
}  // namespace strata
