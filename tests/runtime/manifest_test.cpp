// SPDX-License-Identifier: Apache-2.0
// The content of manifest.json during and after a run.
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class ManifestFile : public SessionTest {
 protected:
  ManifestFile() {
    options_.directory = folder_.path();
    options_.name = "sample";
  }

  nlohmann::json manifest(const std::string& file = "manifest.json") const {
    return nlohmann::json::parse(std::ifstream(folder_.path() / file));
  }

  RunFolder folder_;
};

TEST_F(ManifestFile, IsThereFromTheBeginning) {
  options_.plugins.push_back({"create_fails", {}, ""});
  listen("recording_a");
  emit_too();
  options_.schedule = {.wait = 1, .warmup = 1, .active = 3};
  open();
  const nlohmann::json open_manifest = manifest();
  EXPECT_EQ(open_manifest.at("schema"), "strata.manifest/1");
  EXPECT_EQ(open_manifest.at("name"), "sample");
  EXPECT_EQ(open_manifest.at("state"), "open");
  EXPECT_TRUE(open_manifest.at("end").is_null());
  EXPECT_EQ(open_manifest.at("process").at("pid"), getpid());
  EXPECT_EQ(open_manifest.at("strata").at("plugin_abi"), "1.0");
  EXPECT_GT(open_manifest.at("host").at("memory_bytes"), 0u);
  EXPECT_EQ(open_manifest.at("window"), (nlohmann::json{{"first_step", 2}, {"last_step", 4}}));
  ASSERT_EQ(open_manifest.at("plugins").size(), 2u);
  EXPECT_EQ(open_manifest.at("plugins")[0].at("id"), "create_fails");
  EXPECT_EQ(open_manifest.at("plugins")[0].at("status"), "disabled");
  EXPECT_EQ(open_manifest.at("plugins")[0].at("reason"), "no counter is free");
  EXPECT_EQ(open_manifest.at("plugins")[1].at("status"), "ok");
  ASSERT_EQ(open_manifest.at("sources").size(), 1u);
  EXPECT_EQ(open_manifest.at("sources")[0].at("id"), "recording_source");
}

TEST_F(ManifestFile, SaysHowTheRunEnded) {
  Session& session = open();
  session.begin_run();
  session.end_phase(5);
  session.end_run(RunEnd::kOutOfMemory);
  const nlohmann::json closed = manifest();
  EXPECT_EQ(closed.at("state"), "closed");
  EXPECT_EQ(closed.at("end"), "out_of_memory");
  EXPECT_EQ(closed.at("faults"), (nlohmann::json{{"unpaired_phase_end", 1}}));
  EXPECT_EQ(closed.at("store").at("dropped_rows"), 0);
  EXPECT_EQ(closed.at("store").at("lost"), "");
  EXPECT_EQ(closed.at("store").at("problems"), nlohmann::json::array());
  EXPECT_EQ(closed.at("artifacts"), nlohmann::json::array());
  EXPECT_GE(closed.at("end_time"), closed.at("begin_time"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "manifest.json.part"));
}

TEST_F(ManifestFile, TakesSectionsOfOthers) {
  Session& session = open();
  session.describe("torch", R"({"version": "2.11.0", "threads": 2})");
  EXPECT_EQ(manifest().at("torch").at("threads"), 2) << "also while the run is on";
  EXPECT_THROW(session.describe("torch", "{"), std::invalid_argument);
  EXPECT_THROW(session.describe("plugins", "[]"), std::invalid_argument);
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(manifest().at("torch").at("version"), "2.11.0");
}

TEST_F(ManifestFile, OfAnotherRankStandsInItsFolder) {
  options_.rank = 1;
  options_.world_size = 2;
  open();
  EXPECT_EQ(manifest("rank1/manifest.json").at("process").at("rank"), 1);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "manifest.json"));
}

TEST_F(ManifestFile, ADirectoryThatDoesNotExistIsAProblem) {
  options_.directory = folder_.path() / "missing";
  EXPECT_THROW(open(), SessionError);
}

}  // namespace
}  // namespace strata
