// SPDX-License-Identifier: Apache-2.0
// Many threads call CUDA while buffers fill, are completed and are read: under ThreadSanitizer too.
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

class CuptiThreads : public CuptiSession {};

TEST_F(CuptiThreads, EachKernelHasTheOpOfItsOwnThread) {
  constexpr int kThreads = 8;
  constexpr int kLaunches = 500;
  set("buffer_bytes", "64KiB");
  std::mutex mutex;
  std::map<std::uint64_t, std::uint64_t> expected;  // op by correlation
  run([&](Session& session) {
    const Phase phase(session, PhaseKind::kBackward, "backward");
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < kLaunches; ++i) {
          const std::uint64_t op = begin_op();
          const std::uint32_t correlation = fake_.launch("kernel", 10);
          end_op(op);
          const std::scoped_lock lock(mutex);
          expected[correlation] = op;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), static_cast<std::size_t>(kThreads * kLaunches));
  for (const HeardActivity& kernel : kernels) {
    EXPECT_EQ(kernel.event.op, expected.at(kernel.event.correlation));
    EXPECT_NE(kernel.event.phase, STRATA_NONE);
  }
  EXPECT_EQ(captures("launches = answered_launches, dropped, without_call, lost_origins"),
            (std::vector<std::string>{"1|0|0|0"}));
}

// The window ends while other threads are between a begin and its end, and launch. They slow down after a
// while: where threads take turns (valgrind), threads that never wait may block the one that ends the window
// for minutes.
TEST_F(CuptiThreads, AWindowEndsWhileOthersCall) {
  constexpr int kAtFullSpeed = 20'000;
  set("buffer_bytes", "64KiB");
  options_.schedule = {.wait = 0, .warmup = 0, .active = 3};
  Session& session = begin();
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int launched = 0; !is_over; ++launched) {
        const std::uint64_t op = begin_op();
        fake_.launch("kernel", 10);
        end_op(op);
        if (launched > kAtFullSpeed) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    });
  }
  for (std::uint64_t index = 0; index < 5; ++index) {
    session.begin_step(index, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    session.end_step({});
  }
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  session.end_run(RunEnd::kDone);
  EXPECT_GT(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 0u);
  EXPECT_EQ(fake_.unsubscriptions, 1);
  EXPECT_EQ(fake_.calls_without_subscription, 0);
}

}  // namespace
}  // namespace strata::test
