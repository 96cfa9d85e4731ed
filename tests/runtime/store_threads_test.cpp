// SPDX-License-Identifier: Apache-2.0
// Short-lived threads, and forked children.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "host/runtime/store/store.hpp"
#include "tests/runtime/counted_row.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

class StoreThreadsTest : public testing::Test {
 protected:
  std::int64_t stored_rows() const {
    return query_integer(folder_.store(kPid), "SELECT count(*) FROM plugin_row");
  }
  std::ptrdiff_t spool_files() const {
    const std::filesystem::directory_iterator files(folder_.spools(kPid));
    return std::count_if(begin(files), end(files),
                         [](const auto& file) { return file.path().extension() == ".spool"; });
  }
  RunFolder folder_;
};

TEST_F(StoreThreadsTest, TenThousandThreadsShareAFewFiles) {
  Store store(folder_.rank(), kPid, {OnFull::kBlock, 1}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  constexpr int kThreads = 10'000;
  constexpr int kAtOnce = 4;
  for (int thread = 0; thread < kThreads; thread += kAtOnce) {
    std::vector<std::thread> threads;
    for (int one = 0; one < kAtOnce; ++one) {
      threads.emplace_back([&] {
        const CountedRow row{};
        EXPECT_TRUE(store.append(table, &row));
      });
    }
    for (std::thread& one : threads) one.join();
  }
  EXPECT_LE(spool_files(), 16);
  store.close("done");
  EXPECT_EQ(stored_rows(), kThreads);
}

// A destructor of thread-local data that frees memory runs before or after ours: its rows count either
// way.
TEST_F(StoreThreadsTest, KeepsRowsOfAThreadThatIsEnding) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "ThreadSanitizer is done with a thread before its last destructors run, and crashes in them";
#endif
  Store store(folder_.rank(), kPid, {}, {});
  struct Late {
    Store* store;
    std::uint32_t table;
    pthread_key_t key;
    int rounds;
  };
  Late late{&store, store.declare("plugin", counted_table()), 0, 3};
  ASSERT_EQ(pthread_key_create(&late.key,
                               [](void* value) {
                                 auto& self = *static_cast<Late*>(value);
                                 const CountedRow row{};
                                 EXPECT_TRUE(self.store->append(self.table, &row));
                                 if (--self.rounds > 0) pthread_setspecific(self.key, value);
                               }),
            0);
  std::thread([&late] {
    pthread_setspecific(late.key, &late);
    const CountedRow row{};
    EXPECT_TRUE(late.store->append(late.table, &row));
  }).join();
  pthread_key_delete(late.key);
  store.close("done");
  EXPECT_EQ(stored_rows(), 4);
}

TEST_F(StoreThreadsTest, AForkedChildIsSilentAndTheParentWhole) {
  Store store(folder_.rank(), kPid, {}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  const CountedRow row{};
  std::atomic<bool> stop = false;
  std::int64_t appended = 0;
  std::thread busy([&] {
    for (; !stop; ++appended) store.append(table, &row);
  });
  for (int fork_count = 0; fork_count < 20; ++fork_count) {
    EXPECT_TRUE(store.append(table, &row));
    const pid_t child = fork();
    if (child == 0) {
      const bool silent = !store.append(table, &row) && store.intern("child").id == 0;
      store.set_meta("child", "was here");
      store.close("failed");
      store.~Store();
      _exit(silent ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
  store.close("done");
  EXPECT_EQ(stored_rows(), appended + 20);
  EXPECT_EQ(query_integer(folder_.store(kPid), "SELECT count(*) FROM meta WHERE key = 'child'"), 0);
  EXPECT_EQ(query(folder_.store(kPid), "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
}

TEST_F(StoreThreadsTest, AForkedChildMayOpenItsOwn) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer follows no threads that a forked child starts";
#endif
  Store store(folder_.rank(), kPid, {}, {});
  const std::uint32_t table = store.declare("plugin", counted_table());
  const pid_t child = fork();
  if (child == 0) {
    Store own(folder_.rank(), kPid + 1, {}, {});
    const std::uint32_t own_table = own.declare("plugin", counted_table());
    const CountedRow row{};
    const bool kept = own.append(own_table, &row);
    own.close("done");
    _exit(kept && own.problems().empty() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const CountedRow row{};
  EXPECT_TRUE(store.append(table, &row));
  store.close("done");
  EXPECT_EQ(stored_rows(), 1);
  EXPECT_EQ(query_integer(folder_.store(kPid + 1), "SELECT count(*) FROM plugin_row"), 1);
}

}  // namespace
}  // namespace strata
