// SPDX-License-Identifier: Apache-2.0
// Rarely used services of plugins, through the ABI.
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Services : public SessionTest, public testing::WithParamInterface<std::uint32_t> {
 protected:
  std::string contents(const std::string& file) const {
    std::ifstream stream(folder_.path() / file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  RunFolder folder_;
};

TEST_P(Services, AnswerAndKeepTheArtifact) {
  const std::string rank = "rank" + std::to_string(GetParam());
  options_.directory = folder_.path();
  options_.rank = GetParam();
  options_.world_size = 2;
  options_.schedule = {.wait = 1, .warmup = 0, .active = 1};
  options_.plugins.push_back({"service_user", {}, ""});
  emit_too();
  Session& session = open();
  session.begin_run();
  for (std::uint64_t step = 0; step < 2; ++step) {
    session.begin_step(step, 1);
    session.end_step({});
  }
  std::thread([this] { allocate(1); }).join();
  session.end_run(RunEnd::kDone);

  const std::string file = rank + "/service_user/answers.txt";
  const std::string expected =
      "window 1 to 1\n"
      "step 0: active 0, loop thread 1, under an allocator 0\n"
      "a millisecond is 1 ms, today is today\n"
      "step 1: active 1, loop thread 1, under an allocator 0\n"
      "a millisecond is 1 ms, today is today\n"
      "memory: loop thread 0, under an allocator 1\n";
  EXPECT_EQ(contents(file), expected);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / rank / "service_user/dropped.txt"));
  const auto manifest =
      nlohmann::json::parse(contents(GetParam() == 0 ? "manifest.json" : rank + "/manifest.json"));
  EXPECT_EQ(manifest.at("artifacts"), nlohmann::json::array({{{"plugin", "service_user"},
                                                              {"file", file},
                                                              {"media_type", "text/plain"},
                                                              {"bytes", expected.size()}}}));
}

INSTANTIATE_TEST_SUITE_P(EachRank, Services, testing::Values(0u, 1u));

}  // namespace
}  // namespace strata
