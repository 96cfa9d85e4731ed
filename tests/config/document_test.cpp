// SPDX-License-Identifier: Apache-2.0
// Files that are not a configuration: one clear line each, and no crash.
#include "host/config/reading/document.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "host/config/loading/load.hpp"
#include "host/config/problem.hpp"
#include "tests/config/problems_of.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

std::string refusal_of_file(const std::filesystem::path& file) {
  try {
    config::load_config(file);
    return "accepted";
  } catch (const config::ConfigError& error) {
    return error.what();
  }
}

std::string refusal_of(const std::string& text) {
  const auto problems = problems_of(text);
  return problems.size() == 1 ? problems.front() : "accepted, or more than one problem";
}

TEST(Document, MissingFile) {
  EXPECT_EQ(refusal_of_file("/no/such.yaml"), "/no/such.yaml: no such file");
}

TEST(Document, Folder) {
  EXPECT_EQ(refusal_of_file("/proc"), "/proc: expected a YAML file, found a folder");
}

TEST(Document, FolderOfARunSaysWhereItsConfigurationIs) {
  const std::filesystem::path run = std::filesystem::path(::testing::TempDir()) / "document_test_run";
  std::filesystem::create_directories(run);
  std::ofstream(run / "manifest.json") << "{}";
  EXPECT_EQ(refusal_of_file(run), run.string() +
                                      ": expected a YAML file, found the folder of a recorded program, which "
                                      "has no configuration; `strata report " +
                                      run.string() + "` shows its report");
  std::ofstream(run / "config.yaml") << "model: {size: small}";
  EXPECT_EQ(refusal_of_file(run),
            run.string() + ": expected a YAML file, found the folder of a run; its configuration is " +
                (run / "config.yaml").string());
  std::filesystem::remove_all(run);
}

TEST(Document, ProgramInPython) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) / "document_test_train.py";
  std::ofstream(file) << "import torch\n";
  EXPECT_EQ(refusal_of_file(file),
            file.string() +
                ": expected a YAML file, found a program; record it with `strata exec -- python " +
                file.string() + "`");
  std::filesystem::remove(file);
}

TEST(Document, EndlessFile) {
  EXPECT_EQ(refusal_of_file("/dev/zero"),
            "/dev/zero: is larger than 1048576 bytes, the limit for a configuration");
}

TEST(Document, Empty) {
  const std::string expected =
      "t.yaml: is empty; expected at least `model: {size: ...}` (see `strata run --help-config`)";
  EXPECT_EQ(refusal_of(""), expected);
  EXPECT_EQ(refusal_of("# only a comment\n"), expected);
  EXPECT_EQ(refusal_of("---\n"), expected);
}

TEST(Document, NotAMapping) {
  EXPECT_EQ(refusal_of("hello\n"), "t.yaml:1:1: expected a mapping of keys such as `model:`, found 'hello'");
  EXPECT_EQ(refusal_of("- a\n"), "t.yaml:1:1: expected a mapping of keys such as `model:`, found a list");
}

TEST(Document, TwoDocuments) {
  EXPECT_EQ(refusal_of("a: 1\n---\nb: 1\n"),
            "t.yaml: expected one YAML document, found 2 (separated by `---`)");
}

TEST(Document, SyntaxErrorHasItsPlace) {
  EXPECT_EQ(refusal_of("model: {size: small\nseed: 1\n").substr(0, 30), "t.yaml:2:5: not valid YAML: en");
  EXPECT_EQ(refusal_of("model: *nowhere\n"),
            "t.yaml:1:8: not valid YAML: the referenced anchor is not defined");
}

TEST(Document, WrongEncoding) {
  EXPECT_EQ(refusal_of(std::string("\xFF\xFEm\0", 4)),
            "t.yaml: expected UTF-8, found UTF-16; save the file as UTF-8");
  EXPECT_EQ(refusal_of("seed: 1\nname: caf\xE9\n"),
            "t.yaml:2:10: expected UTF-8 text, found the byte 0xe9; is this a YAML file?");
  EXPECT_EQ(refusal_of(std::string("\x7f"
                                   "ELF\0",
                                   5)),
            "t.yaml:1:5: expected UTF-8 text, found the byte 0x00; is this a YAML file?");
  EXPECT_EQ(refusal_of("name: \xC0\xAF\n"),
            "t.yaml:1:7: expected UTF-8 text, found the byte 0xc0; is this a YAML file?");
}

TEST(Document, ByteOrderMarkIsFine) {
  EXPECT_EQ(problems_of("\xEF\xBB\xBFmodel: {size: small}\n"), std::vector<std::string>{});
}

TEST(Document, DeepNestingIsRefused) {
  const std::string refusal = refusal_of("seed: " + std::string(100'000, '[') + "\n");
  EXPECT_EQ(refusal, "t.yaml: is nested too deeply for a configuration");
}

TEST(Document, AliasesAreNotUnfolded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 40; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  const auto problems = problems_of(bomb + "model: {size: small}\nplugins: *a39\n");
  EXPECT_EQ(problems.size(), 50u);
  const auto of_plugins = [](const std::string& line) {
    return line.ends_with(": plugins: expected a plugin's name or {name: {option: value}}, found a list");
  };
  EXPECT_EQ(std::ranges::count_if(problems, of_plugins), 10);
}

TEST(Document, APipeCanBeRead) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::string command = "printf 'model: {size: small}\\n' > " + pipe.string() + " &";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(config::read_text(pipe), "model: {size: small}\n");
}

}  // namespace
}  // namespace strata::test
