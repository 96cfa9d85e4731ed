// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/spool_pool.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <system_error>
#include <thread>

#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

using namespace std::chrono_literals;

TEST(SpoolPool, AFullDiskIsOneProblemHoweverOftenItIsMet) {
  const RunFolder folder;
  SpoolPool pool(folder.path() / "missing", kMinimumSpoolBytes);
  const auto problem = [&pool] {
    try {
      pool.top_up();
    } catch (const std::system_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string first = problem();
  EXPECT_NE(first.find("missing"), std::string::npos) << first;
  EXPECT_EQ(problem(), first);
}

// A row in unreadable memory: its append stops in the signal handler until the page becomes readable.
class StuckAppend : public testing::Test {
 protected:
  StuckAppend() : bytes_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    row_ = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    self_ = this;
    struct sigaction action {};
    action.sa_handler = [](int) {
      self_->inside_();
      mprotect(self_->row_, self_->bytes_, PROT_READ);
    };
    sigaction(SIGSEGV, &action, &before_);
  }
  ~StuckAppend() override {
    sigaction(SIGSEGV, &before_, nullptr);
    munmap(row_, bytes_);
  }

  void append(Spool* spool) const { spool->append(1, row_, 8); }

  static inline StuckAppend* self_ = nullptr;
  std::function<void()> inside_;
  std::size_t bytes_;
  void* row_;
  struct sigaction before_ {};
  RunFolder folder_;
  SpoolPool pool_{folder_.path(), kMinimumSpoolBytes};
  Spool* spool_ = pool_.take(1);
  std::atomic<bool> is_inside_{false};
  std::atomic<bool> leave_{false};
  bool closed_ = false;
};

// As exit() in a signal handler does.
TEST_F(StuckAppend, OfTheClosingThreadItselfIsNotWaitedFor) {
  inside_ = [this] { closed_ = pool_.close(spool_, 10s); };
  append(spool_);
  EXPECT_TRUE(closed_);
}

TEST_F(StuckAppend, OfAnotherThreadIsWaitedForWithALimit) {
  inside_ = [this] {
    is_inside_.store(true);
    while (!leave_.load()) usleep(100);
  };
  std::thread other([this] { append(spool_); });
  while (!is_inside_.load()) std::this_thread::yield();
  EXPECT_FALSE(pool_.close(nullptr, 20ms));
  leave_.store(true);
  other.join();
}

}  // namespace
}  // namespace strata
