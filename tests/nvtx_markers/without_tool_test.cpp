// SPDX-License-Identifier: Apache-2.0
// Without a tool the plugin listens to nothing expensive, and a capture through CUDA's own switch still
// works.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "plugins/nvtx_markers/domain.hpp"
#include "plugins/nvtx_markers/profiler_switch.hpp"
#include "strata/ext/memory.h"
#include "strata/ext/module.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/fake_host/fake_host.hpp"

namespace strata::test {
namespace {

using nvtx_markers::ProfilerSwitch;
using Options = std::map<std::string, std::string>;

// In case this test itself runs under a tool. NVTX reads the variable at its first call.
const int kNoTool = unsetenv("NVTX_INJECTION64_PATH");

TEST(WithoutTool, ListensToTheRunAlone) {
  ASSERT_EQ(kNoTool, 0);
  FakeHost host(Options{{"heaps", "true"}});
  host.load(NVTX_MARKERS_FILE);
  EXPECT_EQ(host.listener<void>(STRATA_EXT_STEP), nullptr);
  EXPECT_EQ(host.listener<void>(STRATA_EXT_PHASE), nullptr);
  EXPECT_EQ(host.listener<void>(STRATA_EXT_MODULE), nullptr);
  EXPECT_EQ(host.listener<void>(STRATA_EXT_MEMORY), nullptr);
  EXPECT_NE(host.listener<void>(STRATA_EXT_RUN), nullptr);
  host.begin_run();
  ASSERT_EQ(host.log().size(), 1u);
  EXPECT_NE(host.log()[0].find("no tool listens to NVTX"), std::string::npos) << host.log()[0];
  host.end_run();
  host.destroy();
}

TEST(WithoutTool, ADomainRegistersNothing) {
  nvtx_markers::Domain domain("strata");
  EXPECT_FALSE(domain.attached());
  EXPECT_FALSE(domain.takes_end_payloads());
  EXPECT_EQ(domain.string("forward"), nullptr);
  EXPECT_EQ(domain.string({"forward", 1, 0}), nullptr);
}

// Must run before any test that loads the runtime, which stays loaded.
TEST(WithoutTool, ACaptureByCudaSaysThatThereIsNone) {
  ASSERT_EQ(dlopen("libcudart.so.13", RTLD_LAZY | RTLD_NOLOAD), nullptr);
  FakeHost host(Options{{"capture", "cuda_profiler_api"}});
  host.load(NVTX_MARKERS_FILE);
  host.begin_run();
  host.begin_step(0);
  host.begin_step(1);
  EXPECT_EQ(host.log().size(), 2u) << "once, beside the missing tool";
  EXPECT_EQ(host.log().back(),
            "capture: cuda_profiler_api captures nothing: no CUDA runtime is loaded in this process; without "
            "CUDA use capture: nvtx");
  host.end_run();
  host.destroy();
  EXPECT_EQ(dlopen("libcudart.so.13", RTLD_LAZY | RTLD_NOLOAD), nullptr) << "nothing was loaded";
}

class WithCudaRuntime : public testing::Test {
 protected:
  WithCudaRuntime() {
    void* const library =
        dlopen(std::filesystem::absolute(PROFILER_CUDART_FILE).c_str(), RTLD_NOW | RTLD_LOCAL);
    calls_ = static_cast<int*>(dlsym(library, "profiler_calls"));
    answer_ = static_cast<int*>(dlsym(library, "profiler_answer"));
    has_context_ = static_cast<int*>(dlsym(library, "profiler_has_context"));
    calls_[0] = calls_[1] = calls_[2] = *answer_ = 0;
    *has_context_ = 1;
  }

  int starts() const { return calls_[0]; }
  int stops() const { return calls_[1]; }
  int synchronizations() const { return calls_[2]; }

  int* calls_;
  int* answer_;
  int* has_context_;
};

TEST_F(WithCudaRuntime, AProgramThatUsesNoDeviceIsLeftAlone) {
  *has_context_ = 0;
  ProfilerSwitch profiler;
  EXPECT_FALSE(profiler.start());
  EXPECT_EQ(profiler.problem(), "this thread uses no CUDA device");
  EXPECT_EQ(starts(), 0);
}

TEST_F(WithCudaRuntime, ACaptureStartsAndStopsWithTheWindow) {
  FakeHost host(Options{{"capture", "cuda_profiler_api"}});
  host.load(NVTX_MARKERS_FILE);
  host.begin_run();
  host.begin_step(0, STRATA_STEP_WAIT);
  EXPECT_EQ(starts(), 0);
  host.begin_step(1);
  host.begin_step(2);
  EXPECT_EQ(starts(), 1);
  EXPECT_EQ(stops(), 0);
  host.begin_step(3, STRATA_STEP_WAIT);
  EXPECT_EQ(stops(), 1);
  EXPECT_EQ(synchronizations(), 1) << "what was launched belongs to the capture";
  host.end_run();
  host.destroy();
  EXPECT_EQ(stops(), 1);
}

TEST_F(WithCudaRuntime, ACaptureEndsWithTheRun) {
  FakeHost host(Options{{"capture", "cuda_profiler_api"}});
  host.load(NVTX_MARKERS_FILE);
  host.begin_run();
  host.begin_step(0);
  host.end_run();
  host.destroy();
  EXPECT_EQ(stops(), 1);
}

TEST_F(WithCudaRuntime, OtherCapturesLeaveItAlone) {
  FakeHost host(Options{{"capture", "nvtx"}});
  host.load(NVTX_MARKERS_FILE);
  host.begin_run();
  host.begin_step(0);
  host.end_run();
  host.destroy();
  EXPECT_EQ(starts() + stops(), 0);
}

TEST_F(WithCudaRuntime, AnErrorOfTheRuntimeIsAProblem) {
  *answer_ = 100;
  ProfilerSwitch profiler;
  EXPECT_FALSE(profiler.start());
  EXPECT_EQ(profiler.problem(), "cudaProfilerStart answered error 100");
  EXPECT_TRUE(profiler.stop()) << "nothing to stop";
  EXPECT_EQ(stops(), 0);

  *answer_ = 0;
  EXPECT_TRUE(profiler.start());
  *answer_ = 700;
  EXPECT_FALSE(profiler.stop());
  EXPECT_EQ(stops(), 1) << "also after the device failed";
}

}  // namespace
}  // namespace strata::test
