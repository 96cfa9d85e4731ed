// SPDX-License-Identifier: Apache-2.0
// The macros of strata/trainer.h, with and without a library to bind to.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <strata/trainer.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" void step_in_c(void);

namespace {

// In C++ the whole program has one binding, so a test can reset it.
class TrainerMarks : public testing::Test {
 protected:
  static void start(const char* library) {
    library == nullptr ? unsetenv(STRATA_ATTACH_VARIABLE) : setenv(STRATA_ATTACH_VARIABLE, library, 1);
    strata_trainer_binding = nullptr;
  }
  static std::string said() {
    void* const host = dlopen(STRATA_FAKE_HOST, RTLD_NOW);
    const auto take = reinterpret_cast<const char* (*)()>(dlsym(host, "take_what_was_said"));
    return take();
  }
  ~TrainerMarks() override { start(nullptr); }
};

void one_step(int layer) {
  STRATA_STEP();
  STRATA_MICRO_BATCH(0);
  {
    STRATA_PHASE("forward");
    STRATA_MODULE("layers." + std::to_string(layer), "Block");
  }
  STRATA_STEP_RESULT(1.5, 64);
}

TEST_F(TrainerMarks, AreToldInOrderAndEndWithTheirScopes) {
  start(STRATA_FAKE_HOST);
  one_step(3);
  EXPECT_EQ(said(), "step[ micro-batch 0 forward( layers.3:Block:0< >2 )1 loss 1.500000 of 64 ]step");
}

TEST_F(TrainerMarks, OfCAreTheSame) {
  start(STRATA_FAKE_HOST);
  step_in_c();
  EXPECT_EQ(said(), "step[ micro-batch 1 forward( layers.0:Block:0< >2 )1 loss 0.500000 of 8 ]step");
}

TEST_F(TrainerMarks, EndWhereAnExceptionLeaves) {
  start(STRATA_FAKE_HOST);
  const auto leave = [] {
    STRATA_STEP();
    STRATA_PHASE("backward");
    throw std::runtime_error("out of memory");
  };
  EXPECT_THROW(leave(), std::runtime_error);
  EXPECT_EQ(said(), "step[ backward( )1 ]step");
}

TEST_F(TrainerMarks, WithoutALibraryNothingIsEvaluated) {
  start(nullptr);
  int evaluated = 0;
  const auto name = [&] {
    ++evaluated;
    return "forward";
  };
  {
    STRATA_STEP();
    STRATA_PHASE(name());
    STRATA_MODULE(name(), name());
    STRATA_STEP_RESULT((++evaluated, 1.0), 1);
    STRATA_MICRO_BATCH(static_cast<std::uint32_t>(++evaluated));
  }
  EXPECT_EQ(evaluated, 0);
  EXPECT_EQ(strata_trainer(), nullptr);
}

TEST_F(TrainerMarks, TheEnvironmentIsLookedIntoOnce) {
  start(nullptr);
  EXPECT_EQ(strata_trainer(), nullptr);
  setenv(STRATA_ATTACH_VARIABLE, STRATA_FAKE_HOST, 1);
  EXPECT_EQ(strata_trainer(), nullptr);
}

TEST_F(TrainerMarks, ALibraryThatIsNotThereIsSaidAndTheProgramGoesOn) {
  start("/nowhere/libstrata_attach.so");
  testing::internal::CaptureStderr();
  one_step(0);
  const std::string message = testing::internal::GetCapturedStderr();
  EXPECT_NE(message.find("strata: this program's marks are not recorded: STRATA_ATTACH=/nowhere/"),
            std::string::npos);
  testing::internal::CaptureStderr();
  one_step(1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "said once";
}

TEST_F(TrainerMarks, ALibraryOfSomethingElseRecordsNothing) {
  start("libm.so.6");
  one_step(0);
  EXPECT_EQ(strata_trainer(), nullptr);
}

TEST_F(TrainerMarks, ThreadsThatComeFirstTogetherBindToTheSame) {
  for (int round = 0; round < 50; ++round) {
    start(STRATA_FAKE_HOST);
    std::vector<const strata_trainer_calls*> found(4);
    std::vector<std::thread> threads;
    for (auto& calls : found) threads.emplace_back([&calls] { calls = strata_trainer(); });
    for (std::thread& thread : threads) thread.join();
    for (const auto* const calls : found) EXPECT_EQ(calls, found.front());
    EXPECT_NE(found.front(), nullptr);
  }
}

TEST_F(TrainerMarks, NeedsNoLibraryBeforeItIsTold) {
  start(nullptr);
  one_step(0);
  EXPECT_EQ(dlopen("libstrata.so", RTLD_NOW | RTLD_NOLOAD), nullptr);
}

}  // namespace
