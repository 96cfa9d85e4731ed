// SPDX-License-Identifier: Apache-2.0
// The meaning of valid configurations.
#include "host/config/loading/load.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using config::parse_config;
using config::RunConfig;
using Overrides = std::vector<std::string>;

RunConfig parse(const std::string& text, const Overrides& overrides = {}) {
  return parse_config(text, "t.yaml", overrides);
}

TEST(Load, FillsInTheDefaults) {
  const RunConfig config = parse("model: {size: small}\n");
  EXPECT_EQ(config.name, "t");
  EXPECT_EQ(config.model.name, config::Architecture::kTransformer);
  EXPECT_EQ(config.model.norm_epsilon, 1e-5);
  EXPECT_EQ(config.model.kv_heads, 12);
  EXPECT_FALSE(config.model.tied);
  EXPECT_EQ(config.model.d_model, 768);
  EXPECT_EQ(config.model.context, 512);
  EXPECT_EQ(config.data.source, config::DataSource::kSynthetic);
  EXPECT_EQ(config.optimizer.name, config::OptimizerName::kAdamW);
  EXPECT_EQ(config.optimizer.beta2, 0.999);
  EXPECT_EQ(config.precision, config::Precision::kFp32);
  EXPECT_TRUE(config.zero_grad.set_to_none);
  EXPECT_EQ(config.trace.ops, "window");
  EXPECT_EQ(config.store.spool_bytes, std::uint64_t{4} << 20);
  EXPECT_EQ(config::total_steps(config), 4u);
}

TEST(Load, AnOptimizerBringsItsOwnDefaults) {
  EXPECT_EQ(parse("model: {size: small}\noptimizer: {name: lion}\n").optimizer.beta2, 0.99);
  EXPECT_EQ(parse("model: {size: small}\noptimizer: {name: lion, beta2: 0.9}\n").optimizer.beta2, 0.9);
  EXPECT_EQ(parse("model: {size: small}\noptimizer: {name: muon}\n").optimizer.momentum, 0.95);
  EXPECT_EQ(parse("model: {size: small}\noptimizer: {name: sgd}\n").optimizer.momentum, 0.0);
  const config::OptimizerConfig galore =
      parse("model: {size: small}\noptimizer: {name: galore_adamw}\n").optimizer;
  EXPECT_EQ(galore.epsilon, 1e-6);
  EXPECT_EQ(galore.rank, 128);
  EXPECT_EQ(galore.update_proj_gap, 200);
  EXPECT_EQ(galore.scale, 0.25);
  EXPECT_EQ(galore.proj_type, config::ProjectionType::kStandard);
  EXPECT_TRUE(galore.keep_factor);
}

TEST(Load, TypesComeFromTheSchemaNotFromTheLooksOfAValue) {
  const RunConfig config =
      parse("name: no\nmodel: {size: 2.7b}\noptimizer: {lr: 1e-3, weight_decay: 0}\nstrict: on\nseed: +7\n");
  EXPECT_EQ(config.name, "no");
  EXPECT_EQ(config.model.size, "2.7b");
  EXPECT_EQ(config.optimizer.lr, 1e-3);
  EXPECT_EQ(config.optimizer.weight_decay, 0.0);
  EXPECT_TRUE(config.strict);
  EXPECT_EQ(config.seed, 7);
}

TEST(Load, EveryFieldOfASizeCanBeOverridden) {
  const RunConfig config = parse("model: {size: medium, layers: 2, vocab: 256}\n", {"model.heads=8"});
  EXPECT_EQ(config.model.layers, 2);
  EXPECT_EQ(config.model.vocab, 256);
  EXPECT_EQ(config.model.heads, 8);
  EXPECT_EQ(config.model.d_model, 1024);
}

TEST(Load, AnEmptySectionIsNoSection) {
  EXPECT_EQ(parse("model: {size: small}\ntrace:\n  # ops: none\nplugins:\n").trace.ops, "window");
}

TEST(Load, TheCommandLineWins) {
  const RunConfig config =
      parse("model: {size: small}\noptimizer: {name: adamw, lr: 1, beta1: 0.5}\nseed: bad\n",
            {"seed=3", "optimizer={name: sgd, momentum: 0.9}", "seed=4"});
  EXPECT_EQ(config.seed, 4);
  EXPECT_EQ(config.optimizer.name, config::OptimizerName::kSgd);
  EXPECT_EQ(config.optimizer.momentum, 0.9);
  EXPECT_EQ(config.optimizer.lr, 1.0e-3);
}

TEST(Load, AnotherCardKeepsTheClockOfTheFilesOwn) {
  const std::string file =
      "model: {size: small}\ndevice: {dry: a100-40gb, count: 2, memory: 20GiB, clock: modelled}";
  const config::DeviceConfig other = parse(file, {"device={dry: t4}"}).device;
  EXPECT_EQ(other.dry, "t4");
  EXPECT_EQ(other.count, 2);
  EXPECT_TRUE(other.settings.models_time);
  EXPECT_EQ(other.settings.memory_bytes, 0);
  EXPECT_EQ(parse(file, {"device={dry: t4, count: 1}"}).device.count, 1);
  EXPECT_EQ(parse(file, {"device=cpu"}).device.kind, config::DeviceKind::kCpu);
}

TEST(Load, AnOverrideDoesNotReachThroughAnAlias) {
  const RunConfig config = parse("model: {size: small}\nseed: &a 2\naccumulation: *a\n", {"seed=5"});
  EXPECT_EQ(config.seed, 5);
  EXPECT_EQ(config.accumulation, 2);
}

TEST(Load, StepsInAllAreTheScheduleUpToItsLimit) {
  EXPECT_EQ(config::total_steps(parse("model: {size: small}\nschedule: {wait: 3, warmup: 2, active: 5}\n")),
            10u);
  EXPECT_EQ(config::total_steps(parse("model: {size: small}\nschedule: {active: 5, max_steps: 4}\n")), 4u);
  EXPECT_EQ(config::total_steps(parse("model: {size: small}\nschedule: {active: 5, max_steps: 99}\n")), 7u);
}

// The number of tokens is one above 10 sequences of 16.
TEST(Load, AnEpochIsTheWholeStepsThatTheTextIsEnoughFor) {
  const TemporaryFolder folder;
  const auto file = folder.write("a.txt", std::string(161, 'a'));
  const auto config = [&](const std::string& model, const std::string& data, const std::string& rest) {
    return parse("model: {" + model + ", context: 16}\ndata: {source: text, path: " + file.string() +
                 ", batch_size: 2" + data + "}\n" + rest);
  };
  const RunConfig two = config("size: small", "", "accumulation: 2\nschedule: {active: 9, epochs: 2}\n");
  EXPECT_EQ(two.data.samples, 10);
  EXPECT_EQ(config::steps_of_epoch(two), 2u) << "10 / (2 * 2), rounded down";
  EXPECT_EQ(config::total_steps(two), 4u);
  EXPECT_EQ(config::total_steps(config("size: small", "", "schedule: {active: 9, epochs: 3}\n")), 11u)
      << "the schedule is over before";
  EXPECT_EQ(
      config::total_steps(config("size: small", "", "schedule: {active: 9, epochs: 2, max_steps: 7}\n")), 7u);
  EXPECT_EQ(config::total_steps(config("size: small", "", "schedule: {active: 9, epochs: 1000000000}\n")),
            11u);
  EXPECT_EQ(config("size: small", ", max_bytes: 160", "").data.samples, 9) << "each has a target";
  EXPECT_EQ(config("name: distilbert", ", max_bytes: 160", "").data.samples, 10) << "none has";
  EXPECT_EQ(config::steps_of_epoch(parse("model: {size: small}\n")), 0u) << "random tokens have no end";
}

TEST(Load, ImagesAreOfTheClassesThatTheirFoldersAreCalledAfter) {
  const TemporaryFolder folder;
  const std::string image = "P6 2 1 255 aaabbb";
  folder.write("images/dog/1.ppm", image);
  folder.write("images/cat/2.ppm", image);
  folder.write("images/cat/1.ppm", image);
  folder.write("images/cat/notes.txt", "no image");
  const auto file = folder.write(
      "t.yaml", "model: {name: resnet18, classes: 2}\ndata: {source: images, path: images, batch_size: 1}\n");
  const RunConfig config = config::load_config(file);
  EXPECT_EQ(config.data.files, (std::vector<std::filesystem::path>{folder.path() / "images/cat/1.ppm",
                                                                   folder.path() / "images/cat/2.ppm",
                                                                   folder.path() / "images/dog/1.ppm"}));
  EXPECT_EQ(config.data.samples, 3);
}

TEST(Load, ARangeOfStepsIsTheWindow) {
  const RunConfig config = parse("model: {size: small}\nschedule: {steps: 3-8}\n");
  const config::ScheduleConfig& window = config.schedule;
  EXPECT_EQ(window.wait, 3);
  EXPECT_EQ(window.warmup, 0);
  EXPECT_EQ(window.active, 6);
  EXPECT_EQ(config::total_steps(config), 9u);
  EXPECT_EQ(parse("model: {size: small}\nschedule: {steps: 0}\n").schedule.active, 1);
}

// Loads the file as a user other than root, who may read everything, and ends the process.
[[noreturn]] void load_as_nobody(const std::filesystem::path& file) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) std::_Exit(2);
  try {
    config::load_config(file);
  } catch (const config::ConfigError& error) {
    std::fputs(error.what(), stderr);
    std::_Exit(0);
  }
  std::_Exit(1);
}

TEST(Load, TextThatNobodyMayReadIsSaidBeforeARunBegins) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(folder.write("a.txt", "ab"), std::filesystem::perms::none);
  const auto file =
      folder.write("t.yaml", "model: {size: small, context: 1}\ndata: {source: text, path: a.txt}\n");
  EXPECT_EXIT(load_as_nobody(file), testing::ExitedWithCode(0),
              "data.path: cannot read .*a.txt.: Permission denied");
}

TEST(Load, PathsStartInTheFolderOfTheFile) {
  const TemporaryFolder folder;
  folder.write("texts/b.md", "b");
  folder.write("texts/deep/er/a.md", "a");
  folder.write("texts/deep/er/a.py", "a");
  const auto file = folder.write(
      "configs/t.yaml", "model: {size: small, context: 1}\ndata: {source: text, path: ../texts/**/*.md}\n");
  const RunConfig config = config::load_config(file);
  const std::vector<std::filesystem::path> expected{folder.path() / "configs/../texts/b.md",
                                                    folder.path() / "configs/../texts/deep/er/a.md"};
  EXPECT_EQ(config.data.files, expected);
}

TEST(Load, PathsOfTheCommandLineStartInTheCurrentFolder) {
  const TemporaryFolder folder;
  folder.write("a.txt", "ab");
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const RunConfig config = parse_config("model: {size: small, context: 1}\n", "/elsewhere/t.yaml",
                                        Overrides{"data.source=text", "data.path=a.txt"});
  std::filesystem::current_path(before);
  EXPECT_EQ(config.data.path.front(), (folder.path() / "a.txt").string());
}

TEST(Load, FilesKeepTheOrderOfTheirPatternsAndComeOnce) {
  const TemporaryFolder folder;
  const auto a = folder.write("a.txt", "a");
  const auto b = folder.write("b.txt", "b");
  const auto file = folder.write(
      "t.yaml", "model: {size: small, context: 1}\ndata: {source: text, path: [b.txt, '*.txt']}\n");
  EXPECT_EQ(config::load_config(file).data.files, (std::vector<std::filesystem::path>{b, a}));
}

TEST(Load, HomeAndVariablesAreReplacedInPaths) {
  const TemporaryFolder folder;
  folder.write("a.txt", "ab");
  setenv("STRATA_TEST_FOLDER", folder.path().c_str(), 1);
  const RunConfig config =
      parse("model: {size: small, context: 1}\ndata: {source: text, path: '${STRATA_TEST_FOLDER}/a.txt'}\n");
  unsetenv("STRATA_TEST_FOLDER");
  EXPECT_EQ(config.data.files.front(), folder.path() / "a.txt");
}

TEST(Load, PluginProblemsComeWithTheOthers) {
  const auto check = [](const std::vector<PluginRequest>& plugins) {
    return std::vector<std::string>{plugins.front().place + ": no plugin '" + plugins.front().name + "'"};
  };
  try {
    parse_config("model: {size: small}\nseed: x\nplugins: [nope]\n", "t.yaml", {}, check);
    FAIL() << "expected ConfigError";
  } catch (const config::ConfigError& error) {
    EXPECT_STREQ(
        error.what(),
        "t.yaml:2:7: seed: expected an integer of at least 0, found 'x'\nt.yaml:3:11: no plugin 'nope'");
  }
}

TEST(Load, TheNameIsTheFilesUnlessItIsWritten) {
  EXPECT_EQ(parse_config("model: {size: small}\n", "a/my run!.yaml").name, "my-run-");
  EXPECT_EQ(parse_config("model: {size: small}\n", ".yaml").name, "yaml");
  EXPECT_EQ(parse_config("model: {size: small}\nname: x\n", "a.yaml").name, "x");
}

}  // namespace
}  // namespace strata::test
