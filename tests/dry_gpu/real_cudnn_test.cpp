// SPDX-License-Identifier: Apache-2.0
// Answers of cuDNN that come from another process or a file: whatever they contain, they are read correctly
// or rejected. The process itself is tested in test_workspaces_convolutions.py.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "dry_gpu/cudnn/measured_plan.hpp"
#include "dry_gpu/cudnn/real/answer_files.hpp"
#include "dry_gpu/cudnn/real/asker.hpp"
#include "dry_gpu/cudnn/real/client.hpp"
#include "dry_gpu/cudnn/real/configurations.hpp"
#include "dry_gpu/cudnn/real/description.hpp"
#include "dry_gpu/cudnn/real/device_text.hpp"
#include "dry_gpu/cudnn/real/messages.hpp"
#include "tests/dry_gpu/test_profile.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::dry_gpu::real_cudnn {
namespace {

using std::chrono::milliseconds, std::chrono::steady_clock, test::TemporaryFolder;

const Description kGraphOfTwo = {
    {.type = 17,
     .attributes =
         {{.name = 901, .type = 1, .descriptors = {}, .bytes = {"\0\0\0\x09", 4}, .count = 1},
          {.name = 902, .type = 3, .descriptors = {}, .bytes = std::string(16, '\x7f'), .count = 2}}},
    {.type = 15, .attributes = {{.name = 801, .type = 15, .descriptors = {0, 0}, .bytes = {}, .count = 2}}}};

const Configurations kAnswer = {
    {.engine = 38,
     .numerical_notes = {0, 4},
     .behavior_notes = {},
     .knobs = {{2, 5}, {25, 0}, {28, -1}},
     .plan = Plan{true, 1 << 20}},
    {.engine = 0, .numerical_notes = {}, .behavior_notes = {1}, .knobs = {}, .plan = Plan{}},
    {.engine = 57, .numerical_notes = {}, .behavior_notes = {}, .knobs = {}, .plan = std::nullopt}};

// Every text that results from one changed, missing or doubled byte, and some more.
template <typename Check>
void for_each_damage(const std::string& text, int rounds, Check&& check) {
  for (std::size_t place = 0; place < text.size(); ++place) {
    check(text.substr(0, place));
    check(text.substr(0, place) + text.substr(place + 1));
    for (const char other : {'\0', ' ', '\n', '-', '9', 'f', ':', '>', '\xff'}) {
      std::string changed = text;
      changed[place] = other;
      check(changed);
    }
  }
  std::mt19937 random(7);
  for (int round = 0; round < rounds; ++round) {
    std::string changed = text;
    for (int change = 0; change < 4; ++change)
      changed[random() % changed.size()] = static_cast<char>(random());
    check(changed);
  }
}

TEST(RealCudnnDescription, IsReadAsItWasWritten) {
  EXPECT_EQ(text_of(kGraphOfTwo),
            "17 901:1:1=00000009 902:3:2=7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f\n15 801:15:2>0,0\n");
  EXPECT_EQ(parse_description(text_of(kGraphOfTwo)), kGraphOfTwo);
}

TEST(RealCudnnDescription, NothingElseIsOne) {
  for (const char* const text : {"",
                                 "\n",
                                 "17",
                                 "x\n",
                                 "-1 \n",
                                 "17 901\n",
                                 "17 901:1\n",
                                 "17 901:1:0=\n",
                                 "17 901:1:1=\n",
                                 "17 901:1:1=0\n",
                                 "17 901:1:1=zz\n",
                                 "17 901:1:3=00000000\n",
                                 "17 901:1:-1=00\n",
                                 "17 901:1:99999999999=00\n",
                                 "15 801:15:1>0\n",
                                 "17\n15 801:15:1>1\n",
                                 "17\n15 801:15:2>0\n",
                                 "17\n15 801:15:1>-1\n",
                                 "17\n15 801:15:1>0,0\n",
                                 "17 901:1:1=0000000000000000000000000000000000\n"})
    EXPECT_EQ(parse_description(text), std::nullopt) << text;
  EXPECT_EQ(parse_description(std::string(kMostDescriptionBytes, '1') + '\n'), std::nullopt);
  std::string many;
  for (std::size_t line = 0; line <= kMostDescriptors; ++line) many += "1\n";
  EXPECT_EQ(parse_description(many), std::nullopt);
  for_each_damage(text_of(kGraphOfTwo), 2000, [](const std::string& text) {
    const auto read = parse_description(text);
    if (!read) return;
    for (std::size_t place = 0; place < read->size(); ++place)
      for (const DescribedAttribute& attribute : (*read)[place].attributes)
        for (const std::size_t referred : attribute.descriptors) EXPECT_LT(referred, place) << text;
  });
}

TEST(RealCudnnConfigurations, AreReadAsTheyWereWritten) {
  EXPECT_EQ(text_of(kAnswer),
            "engine 38 notes 0,4 behavior - knobs 2:5,25:0,28:-1 plan 1048576\n"
            "engine 0 notes - behavior 1 knobs - plan none\nengine 57 notes - behavior - knobs - plan ?\n");
  EXPECT_EQ(parse_configurations(text_of(kAnswer)), kAnswer);
  EXPECT_EQ(parse_configurations(""), Configurations());
}

TEST(RealCudnnConfigurations, SayNothingThatCannotBe) {
  for (const char* const text :
       {"engine 38 notes 0 behavior - knobs - plan 12", "engine -1 notes - behavior - knobs - plan ?\n",
        "engine 1 notes  behavior - knobs - plan ?\n", "engine 1 notes 0,,4 behavior - knobs - plan ?\n",
        "engine 1 notes -1 behavior - knobs - plan ?\n", "engine 1 notes - behavior - knobs - plan -5\n",
        "engine 1 notes - behavior - knobs - plan 99999999999999999999\n",
        "engine 1 notes - behavior - knobs - plan 17592186044417\n",
        "engine 1 notes - behavior - knobs - plan 1 more\n", "engine 1 notes - behavior - plan 1\n",
        "engine 1 notes - behavior - knobs  plan 1\n", "engine 1 notes - behavior - knobs 2 plan 1\n",
        "engine 1 notes - behavior - knobs 2: plan 1\n",
        "engine 1 notes - behavior - knobs 2:1,,3:1 plan 1\n",
        "engine 1 notes - behavior - knobs -2:1 plan 1\n", "engine 1 notes - behavior - knobs 2:1:1 plan 1\n",
        "engine 1 behavior - notes - knobs - plan 1\n", "\n"})
    EXPECT_EQ(parse_configurations(text), std::nullopt) << text;
  for_each_damage(text_of(kAnswer), 2000, [](const std::string& text) {
    for (const Configuration& each : parse_configurations(text).value_or(Configurations()))
      if (each.plan) {
        EXPECT_GE(each.plan->workspace_bytes, 0) << text;
        EXPECT_LE(each.plan->workspace_bytes, std::int64_t{1} << 44) << text;
      }
  });
}

class RealCudnnFiles : public ::testing::Test {
 protected:
  std::string text() const {
    std::ifstream file(files.file_of("question"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void overwrite(const std::string& text) const {
    std::ofstream(files.file_of("question"), std::ios::binary) << text;
  }

  const TemporaryFolder folder;
  const AnswerFiles files{folder.path() / "deep" / "er", "library and device"};
};

TEST_F(RealCudnnFiles, KeepAnAnswer) {
  EXPECT_EQ(files.read("question"), std::nullopt);
  files.write("question", kAnswer);
  EXPECT_EQ(files.read("question"), kAnswer);
  EXPECT_EQ(files.read("another"), std::nullopt);
  EXPECT_EQ(AnswerFiles(folder.path() / "deep" / "er", "another library").read("question"), std::nullopt);
  files.write("question", {});
  EXPECT_EQ(files.read("question"), Configurations());
  const auto left = std::filesystem::directory_iterator(folder.path() / "deep" / "er");
  EXPECT_EQ(std::distance(begin(left), end(left)), 1) << "no file is left half written";
}

TEST_F(RealCudnnFiles, OfAnotherQuestionUnderTheSameNameIsNotThere) {
  files.write("another", kAnswer);
  std::filesystem::rename(files.file_of("another"), files.file_of("question"));
  EXPECT_EQ(files.read("question"), std::nullopt);
}

TEST_F(RealCudnnFiles, AreNotThereWhereAnythingInThemWasChanged) {
  files.write("question", kAnswer);
  const std::string whole = text();
  for_each_damage(whole, 100, [&](const std::string& damaged) {
    if (damaged == whole) return;
    overwrite(damaged);
    EXPECT_EQ(files.read("question"), std::nullopt) << damaged;
  });
  overwrite(whole + whole);
  EXPECT_EQ(files.read("question"), std::nullopt);
  overwrite(std::string(std::size_t{5} << 20, 'x'));
  EXPECT_EQ(files.read("question"), std::nullopt);
  files.write("question", kAnswer);
  EXPECT_EQ(files.read("question"), kAnswer) << "the next answer takes its place";
}

TEST_F(RealCudnnFiles, ThatAreNoPlainFilesAreNotThere) {
  files.write("another", kAnswer);
  ASSERT_EQ(mkfifo(files.file_of("question").c_str(), 0600), 0);
  EXPECT_EQ(files.read("question"), std::nullopt);
  std::filesystem::remove(files.file_of("question"));
  std::filesystem::create_directory(files.file_of("question"));
  EXPECT_EQ(files.read("question"), std::nullopt);
  files.write("question", kAnswer);  // impossible, and not an error
  AnswerFiles("/proc/no such folder", "").write("question", kAnswer);
  EXPECT_EQ(AnswerFiles("", "").read("question"), std::nullopt);
  AnswerFiles("", "").write("question", kAnswer);
}

class RealCudnnSocket : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0); }
  void TearDown() override {
    for (const int end : ends) close(end);
  }

  std::array<int, 2> ends{};
  const Deadline soon = steady_clock::now() + milliseconds(100);
  const Deadline late = steady_clock::now() + std::chrono::seconds(60);
};

TEST_F(RealCudnnSocket, CarriesMessages) {
  const std::string large(3 << 20, 'a');
  std::thread sender([&] {
    for (const std::string& message : {std::string(), std::string("one\0two", 7), large})
      EXPECT_TRUE(send_message(ends[0], message, late));
  });
  EXPECT_EQ(receive_message(ends[1], late), "");
  EXPECT_EQ(receive_message(ends[1], late), std::string("one\0two", 7));
  EXPECT_EQ(receive_message(ends[1], late), large);
  sender.join();
}

TEST_F(RealCudnnSocket, WaitsNoLongerThanItMay) {
  EXPECT_EQ(receive_message(ends[1], soon), std::nullopt);
  EXPECT_FALSE(send_message(ends[0], std::string(3 << 20, 'a'), soon)) << "nobody takes it in";
  EXPECT_FALSE(send_message(ends[0], std::string(kMostMessageBytes + 1, 'a'), late));
}

TEST_F(RealCudnnSocket, TakesNothingOfWhatIsTooLongOrEndsEarly) {
  ASSERT_EQ(send(ends[0], "\xff\xff\xff\xff", 4, 0), 4);
  EXPECT_EQ(receive_message(ends[1], late), std::nullopt);
  ASSERT_EQ(send(ends[0], "\x08\0\0\0abc", 7, 0), 7);
  shutdown(ends[0], SHUT_WR);
  EXPECT_EQ(receive_message(ends[1], late), std::nullopt);
  shutdown(ends[1], SHUT_RDWR);
  EXPECT_FALSE(send_message(ends[0], "nobody is there", late));
}

TEST(RealCudnnAsker, ThatCannotBeStartedSaysWhy) {
  const auto start = [](const char* program) {
    return Asker::start({.program = program,
                         .library = "",
                         .device = "",
                         .profile = "",
                         .longest_start = milliseconds(5000),
                         .longest_answer = milliseconds(100)});
  };
  EXPECT_EQ(start("/no/such/program").problem,
            "/no/such/program cannot be started: No such file or directory");
  EXPECT_EQ(start("/bin/true").problem, "its process ended, or did not answer in time");
}

TEST(RealCudnnAsker, HasNothingOfTheDryGpuInItsEnvironment) {
  std::array<std::string, 7> variables = {"LD_PRELOAD=/dry/cudnn.facade.so",
                                          "LD_LIBRARY_PATH=/dry/gpu:/own::/dry/gpu/",
                                          "STRATA_DRY_GPU_ACCOUNTS=/tmp",
                                          "CUDA_VISIBLE_DEVICES=3",
                                          "HOME=/home/me",
                                          "CUDNN_LOGLEVEL_DBG=3",
                                          "LD_PRELOADED=no"};
  std::vector<char*> environment;
  for (std::string& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  EXPECT_EQ(environment_of_asker(environment.data(), "/dry/gpu"),
            (std::vector<std::string>{"CUDA_VISIBLE_DEVICES=", "LD_LIBRARY_PATH=/own", "HOME=/home/me",
                                      "LD_PRELOADED=no"}));
}

class RealCudnnClient : public ::testing::Test {
 protected:
  Client client(AnswerFiles files) {
    return Client(
        std::move(files),
        [this]() -> Asker::Started {
          ++starts;
          return {nullptr, "there is none"};
        },
        [this](const std::string& problem) { problems.push_back(problem); });
  }

  const TemporaryFolder folder;
  int starts = 0;
  std::vector<std::string> problems;
};

TEST_F(RealCudnnClient, SaysOnceThatNothingCanBeAsked) {
  Client none = client(AnswerFiles("", ""));
  EXPECT_EQ(none.ask(0, "graph"), nullptr);
  EXPECT_EQ(none.ask(2, "graph"), nullptr);
  EXPECT_EQ(starts, 1);
  EXPECT_EQ(problems, std::vector<std::string>{"there is none"});
}

TEST_F(RealCudnnClient, StartsNothingForWhatIsKept) {
  const AnswerFiles files(folder.path(), "library");
  files.write(text_of(0, "graph"), kAnswer);
  Client kept = client(AnswerFiles(folder.path(), "library"));
  const auto question = kept.ask(0, "graph");
  ASSERT_NE(question, nullptr);
  EXPECT_EQ(question->answer, kAnswer);
  EXPECT_EQ(kept.ask(0, "graph"), question);
  EXPECT_EQ(kept.plan(*question, 0), (Plan{true, 1 << 20}));
  EXPECT_EQ(kept.plan(*question, 1), Plan{});
  EXPECT_EQ(kept.plan(*question, 99), std::nullopt);
  EXPECT_EQ(starts, 0);
  EXPECT_EQ(kept.plan(*question, 2), std::nullopt) << "that one was not asked for";
  EXPECT_EQ(starts, 1);
}

TEST(RealCudnnPlans, AreComparedWhileThereAreSeveral) {
  const auto graph = std::make_shared<LivePlans>();
  const MeasuredPlan small(graph, 0);
  EXPECT_FALSE(small.execute().is_compared);
  EXPECT_EQ(small.execute().added_ns, 0) << "nobody chooses";
  {
    const MeasuredPlan large(graph, 1 << 20), larger(graph, std::int64_t{1} << 33);
    EXPECT_GT(small.execute().added_ns, large.execute().added_ns);
    EXPECT_GT(large.execute().added_ns, larger.execute().added_ns);
    EXPECT_GT(larger.execute().added_ns, 0);
  }
  EXPECT_TRUE(small.execute().is_compared) << "it was chosen";
  EXPECT_EQ(small.execute().added_ns, 0);
}

TEST(RealCudnnDevice, IsWrittenAsCudnnReadsIt) {
  DeviceProfile profile = parse_profile(kTestProfile).device;
  profile.name = "A \"card\"";
  profile.memory_bytes = 150'109'880'320;
  const std::string text = device_text(profile);
  EXPECT_EQ(text.find("{\"maxGridSize\": [2147483647, 65535, 65535], \"maxBlockSize\": [1024, 1024, 64], "),
            0u)
      << text;
  EXPECT_NE(text.find("\"totalGlobalMem\": 150109880320,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"deviceName\": \"A \\\"card\\\"\"}"), std::string::npos) << text;
}

}  // namespace
}  // namespace strata::dry_gpu::real_cudnn
