// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/glob.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using Names = std::vector<std::string>;

class Glob : public testing::Test {
 protected:
  Glob() {
    for (const char* name :
         {"a.py", "b.md", ".hidden.py", "deep/c.py", "deep/er/d.py", "deep/.git/e.py", "od[d]/f.py"}) {
      folder_.write(name, "x");
    }
    std::filesystem::create_directory_symlink(folder_.path(), folder_.path() / "deep/loop");
  }

  // The files that match the pattern, relative to the folder.
  Names expand(const std::string& pattern) const {
    Names names;
    for (const auto& file :
         config::expand_pattern(config::escape_pattern(folder_.path().string()) + "/" + pattern)) {
      names.push_back(file.lexically_relative(folder_.path()).string());
    }
    return names;
  }

  TemporaryFolder folder_;
};

TEST_F(Glob, OneFile) {
  EXPECT_EQ(expand("a.py"), Names{"a.py"});
}

TEST_F(Glob, NoFile) {
  EXPECT_EQ(expand("nope/*.py"), Names{});
}

TEST_F(Glob, WildcardsStayInOneNameAndSkipHiddenFiles) {
  EXPECT_EQ(expand("*.py"), Names{"a.py"});
  EXPECT_EQ(expand("[ab].??"), (Names{"a.py", "b.md"}));
  EXPECT_EQ(expand(".*.py"), Names{".hidden.py"});
  EXPECT_EQ(expand("*/*.py"), (Names{"deep/c.py", "od[d]/f.py"}));
}

TEST_F(Glob, TwoStarsAreAnyNumberOfFoldersAndFollowNoLinks) {
  EXPECT_EQ(expand("**/*.py"), (Names{"a.py", "deep/c.py", "deep/er/d.py", "od[d]/f.py"}));
  EXPECT_EQ(expand("deep/**/*.py"), (Names{"deep/c.py", "deep/er/d.py"}));
}

TEST_F(Glob, AFolderStandsForTheFilesBelowItThatAreNotHidden) {
  EXPECT_EQ(expand("deep"), (Names{"deep/c.py", "deep/er/d.py"}));
}

TEST_F(Glob, EscapedLettersAreThemselves) {
  EXPECT_EQ(expand(config::escape_pattern("od[d]") + "/*"), Names{"od[d]/f.py"});
  EXPECT_EQ(expand("od[d]/*"), Names{});
}

TEST_F(Glob, DotsLeadUpwards) {
  EXPECT_EQ(expand("deep/../a.py"), Names{"deep/../a.py"});
}

}  // namespace
}  // namespace strata::test
