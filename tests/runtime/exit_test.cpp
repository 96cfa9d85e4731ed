// SPDX-License-Identifier: Apache-2.0
// However a process ends, its exit code is unchanged, the store opens and holds the recorded rows, and the
// manifest gives the reason.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "strata/runtime/recovery.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

struct ExitCase {
  const char* program;
  int exit_code;    // 128 + the signal's number for a signal
  const char* end;  // null: killed, no end was written
};

class Exit : public testing::TestWithParam<ExitCase> {
 protected:
  int run(const char* program) const {
    const std::string path = std::string(STRATA_EXIT_PROGRAMS "/") + program;
    const pid_t child = fork();
    if (child == 0) {
      execl(path.c_str(), path.c_str(), folder_.path().c_str(), STRATA_EXAMPLE_PLUGINS, nullptr);
      _exit(127);
    }
    int status = 0;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (waitpid(child, &status, WNOHANG) == 0) {
      if (std::chrono::steady_clock::now() > limit) kill(child, SIGKILL);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

  RunFolder folder_;
};

TEST_P(Exit, LeavesAStoreAndAManifestThatSaysSo) {
  const ExitCase& expected = GetParam();
#ifdef __SANITIZE_THREAD__
  if (std::string_view(expected.program) == "main_thread_ends")
    GTEST_SKIP() << "ThreadSanitizer has a thread of its own, which never ends";
#endif
  EXPECT_EQ(run(expected.program), expected.exit_code);

  const std::vector<RecoveredStore> stores = recover_run(folder_.path());
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_TRUE(stores[0].problems.empty());
  const std::filesystem::path& store = stores[0].store;
  EXPECT_EQ(query(store, "PRAGMA integrity_check"), std::vector<std::string>{"ok"});
  EXPECT_EQ(query(store, "SELECT count(*), sum(loss) FROM step WHERE optimizer_ran = 1"),
            std::vector<std::string>{"2|2.0"});
  EXPECT_EQ(query(store, "SELECT count(*) FROM step WHERE step = 2 AND coalesce(optimizer_ran, 0) = 0"),
            std::vector<std::string>{"1"});
  // The plugin's own rows: the phases that ended, including the one that the session ended at the exit.
  EXPECT_EQ(query_integer(store,
                          "SELECT count(*) FROM phase_timer_phase AS p JOIN string ON string.id = p.name "
                          "WHERE text = 'forward' AND step < 2"),
            2);
  EXPECT_EQ(query_integer(store,
                          "SELECT count(*) FROM phase_timer_phase AS p JOIN string ON string.id = p.name "
                          "WHERE text = 'backward'"),
            expected.end == nullptr ? 0 : 1);
  EXPECT_EQ(query(store, "SELECT value FROM meta WHERE key = 'state'"),
            std::vector<std::string>{expected.end == nullptr ? "recovered" : "closed"});

  const auto manifest = nlohmann::json::parse(std::ifstream(folder_.path() / "manifest.json"));
  EXPECT_EQ(manifest.at("plugins").at(0).at("id"), "phase_timer");
  if (expected.end == nullptr) {
    EXPECT_EQ(manifest.at("state"), "open");
  } else {
    EXPECT_EQ(manifest.at("state"), "closed");
    EXPECT_EQ(manifest.at("end"), expected.end);
    EXPECT_EQ(manifest.at("faults"), nlohmann::json::object());
  }
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, Exit,
    testing::Values(ExitCase{"ended_properly", 0, "done"}, ExitCase{"return_from_main", 0, "exited"},
                    ExitCase{"static_session", 0, "failed"}, ExitCase{"exit_in_loop", 3, "exited"},
                    ExitCase{"exit_on_other_thread", 3, "exited"}, ExitCase{"caught_exception", 1, "failed"},
                    ExitCase{"uncaught_exception", 128 + SIGABRT, nullptr},
                    ExitCase{"exit_at_once", 3, nullptr}, ExitCase{"exit_quickly", 3, nullptr},
                    ExitCase{"main_thread_ends", 0, "exited"},
                    ExitCase{"terminated", 128 + SIGTERM, nullptr}),
    [](const auto& each) { return std::string(each.param.program); });

}  // namespace
}  // namespace strata
