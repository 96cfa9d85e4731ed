// SPDX-License-Identifier: Apache-2.0
// Events from several threads at once, from threads that end early, and from threads that outlive the
// session.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "tests/runtime/run_folder.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class Threads : public SessionTest {};

TEST_F(Threads, OpsOfFourThreadsAreKeptApart) {
  listen("recording_whole");
  emit_too();
  open().begin_run();
  constexpr int kOps = 200;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < kOps; ++i) {
        const std::uint64_t outer = begin_op("outer");
        const std::uint64_t inner = begin_op("inner");
        allocate(1);
        end_op(inner);
        end_op(outer);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::set<std::uint64_t> sequences;
  std::map<std::uint32_t, std::vector<Heard>> by_thread;
  for (const Heard& heard : sink_.heard()) {
    if (heard.plugin != "recording_whole" || heard.what == "begin_run run") continue;
    EXPECT_TRUE(sequences.insert(heard.when.sequence).second) << "a number was given twice";
    by_thread[heard.when.thread].push_back(heard);
  }
  ASSERT_EQ(by_thread.size(), 4u);
  for (const auto& [thread, heard] : by_thread) {
    ASSERT_EQ(heard.size(), 5u * kOps);
    for (std::size_t i = 0; i < heard.size(); i += 5) {
      EXPECT_EQ(heard[i].what, "begin_op outer");
      EXPECT_EQ(heard[i].when.op, STRATA_NONE);
      EXPECT_EQ(heard[i + 1].what, "begin_op inner");
      EXPECT_EQ(heard[i + 1].when.op, heard[i + 4].token);
      EXPECT_EQ(heard[i + 2].what, "on_memory 1");
      EXPECT_EQ(heard[i + 2].when.op, heard[i + 3].token);
      EXPECT_EQ(heard[i + 3].what, "end_op inner");
      EXPECT_EQ(heard[i + 4].what, "end_op outer");
    }
  }
}

TEST_F(Threads, WhatAThreadLeftOpenWhenItEndedIsEndedWithTheRun) {
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.begin_run();
  std::thread([this] { begin_op("left open"); }).join();
  std::thread([this] { end_op(begin_op("whole")); }).join();
  sink_.clear();
  session.end_run(RunEnd::kDone);
  std::vector<Heard> heard = sink_.heard();
  std::erase_if(heard, [](const Heard& one) { return one.plugin != "recording_whole"; });
  ASSERT_FALSE(heard.empty());
  EXPECT_EQ(heard[0].what, "end_op left open");
  EXPECT_NE(heard[0].when.thread, static_cast<std::uint32_t>(gettid())) << "the thread that began it";
}

//   worker                          loop thread
//   emits, again and again
//                                   ends the run, destroys the plugins and the session
//   still emits                     opens the next session
TEST_F(Threads, ThreadsMayEmitWhileSessionsComeAndGo) {
  listen("recording_whole");
  emit_too();
  open();
  std::atomic<bool> stop{false};
  const strata_host* const host = sink_.source_host;
  const strata_emit_service* const emit = sink_.emit;
  std::vector<std::thread> workers;
  for (int t = 0; t < 3; ++t) {
    workers.emplace_back([&] {
      strata_memory_event memory{};
      memory.struct_size = sizeof memory;
      strata_op_info op{};
      op.struct_size = sizeof op;
      op.name = {"late", 1, 0};
      while (!stop.load()) {
        const std::uint64_t ordinal = emit->op_begin(host, &op);
        emit->memory(host, &memory);
        emit->op_end(host, ordinal);
      }
    });
  }
  session_->begin_run();
  while (sink_.heard().size() < 100) std::this_thread::yield();
  session_->end_run(RunEnd::kDone);
  const std::size_t after_end = sink_.heard().size();
  EXPECT_EQ(sink_.texts("recording_whole").back(), "destroy") << "no event after the last call";
  session_.reset();
  options_.sources.clear();
  open().begin_run();
  session_->begin_step(0, 1);
  session_->end_step({});
  session_.reset();
  stop.store(true);
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(sink_.heard().size(), after_end + 6)
      << "begin_run, a step, flush, end_run, destroy of the second session";
}

TEST_F(Threads, BeginsAndEndsPairOnEveryThreadWhenTheRunEndsInTheMiddle) {
  listen("recording_whole");
  emit_too();
  open();
  std::atomic<bool> stop{false};
  std::vector<std::thread> workers;
  for (int t = 0; t < 3; ++t) {
    workers.emplace_back([&] {
      while (!stop.load()) end_op(begin_op("op"));
    });
  }
  session_->begin_run();
  while (sink_.heard().size() < 100) std::this_thread::yield();
  session_->end_run(RunEnd::kDone);
  stop.store(true);
  for (std::thread& worker : workers) worker.join();
  std::multiset<std::uint64_t> open_ops;
  std::multiset<std::uint64_t> ended_ops;
  for (const Heard& heard : sink_.heard()) {
    if (heard.plugin != "recording_whole") continue;
    if (heard.what == "begin_op op") open_ops.insert(heard.when.sequence);
    if (heard.what == "end_op op") ended_ops.insert(heard.token);
  }
  EXPECT_EQ(open_ops, ended_ops);
}

//   one                             another
//   sees that no session is open
//                                   opens a session
//   cannot open in this process: destroys its plugins, closes its store, writes no manifest
TEST_F(Threads, ASessionThatComesSecondUndoesWhatItDid) {
  const RunFolder folder;
  options_.directory = folder.path();
  listen("recording_whole");
  static std::unique_ptr<Session> another;
  sink_.created = [] { another = std::make_unique<Session>(SessionOptions{}); };
  EXPECT_THROW(open(), std::logic_error);
  EXPECT_EQ(sink_.texts("recording_whole"), Texts{"destroy"});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "manifest.json"));
  EXPECT_EQ(query(folder.store(static_cast<std::uint32_t>(getpid())),
                  "SELECT value FROM meta WHERE key IN ('state', 'end') ORDER BY key"),
            (std::vector<std::string>{"failed", "closed"}));
  another->begin_run();
  another.reset();
}

//   worker                        loop thread
//   enters a plugin
//                                 ends the run: gives up waiting, destroys nothing
//   is still in the plugin
TEST_F(Threads, APluginThatAThreadIsInsideOfIsNotDestroyed) {
  options_.settle_limit = std::chrono::milliseconds(20);
  listen("recording_whole");
  emit_too();
  open().begin_run();
  sink_.held.store(true);
  std::thread worker([this] { allocate(1); });
  while (!sink_.is_inside.load()) std::this_thread::yield();
  session_->end_run(RunEnd::kDone);
  session_.reset();
  EXPECT_EQ(sink_.texts(), (Texts{"recording_whole: begin_run run", "recording_source: begin_run run",
                                  "recording_whole: on_memory 1", "recording_source: flush 2"}))
      << "a source is flushed while events still pass";
  sink_.held.store(false);
  worker.join();
}

}  // namespace
}  // namespace strata
