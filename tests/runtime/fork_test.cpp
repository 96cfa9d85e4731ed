// SPDX-License-Identifier: Apache-2.0
// The child of a fork does not touch the session: it receives no events, writes nothing, and exits
// normally.
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Fork : public SessionTest {
 protected:
  // The exit code of a child that runs `body`, which returns whether it succeeded. `leave` ends the child.
  template <typename Body>
  int in_child(Body&& body, void (*leave)(int) = _exit) {
    const pid_t child = fork();
    if (child == 0) leave(body() ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
  }

  RunFolder folder_;
};

TEST_F(Fork, TheChildIsToldNothingAndTheParentGoesOn) {
  options_.directory = folder_.path();
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  const std::uint64_t op = begin_op("across");
  sink_.clear();
  EXPECT_EQ(in_child([&] {
              allocate(1);
              end_op(op);
              session.end_phase(session.begin_phase(PhaseKind::kForward, "in the child"));
              session.end_step({});
              session.end_run(RunEnd::kFailed);
              session_.reset();
              return sink_.heard().empty();
            }),
            0);
  end_op(op);
  session.end_step({.optimizer_ran = true});
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"end_op across", "end_step 0", "flush 2", "end_run 0", "destroy"}));
  EXPECT_EQ(
      query(folder_.store(static_cast<std::uint32_t>(getpid())), "SELECT step, optimizer_ran FROM step"),
      std::vector<std::string>{"0|1"});
  EXPECT_EQ(query(folder_.store(static_cast<std::uint32_t>(getpid())), "SELECT count(*) FROM phase"),
            std::vector<std::string>{"0"});
}

TEST_F(Fork, AChildThatExitsLeavesTheManifestAlone) {
  options_.directory = folder_.path();
  Session& session = open();
  session.begin_run();
  EXPECT_EQ(in_child([] { return true; }, std::exit), 0);
  const auto manifest = nlohmann::json::parse(std::ifstream(folder_.path() / "manifest.json"));
  EXPECT_EQ(manifest.at("state"), "open");
}

TEST_F(Fork, AChildMayOpenASessionOfItsOwn) {
  listen("recording_whole");
  open().begin_run();
  sink_.clear();
  EXPECT_EQ(
      in_child([&] {
        SessionOptions own = options_;
        Session session(own);
        session.begin_run();
        session.end_run(RunEnd::kDone);
        return sink_.texts("recording_whole") == Texts{"begin_run run", "flush 2", "end_run 0", "destroy"};
      }),
      0);
}

}  // namespace
}  // namespace strata
