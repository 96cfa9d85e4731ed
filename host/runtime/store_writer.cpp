// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store_writer.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <vector>

#include "host/runtime/clock.hpp"
#include "host/runtime/store.hpp"

namespace strata {
namespace {

constexpr std::uint64_t kBatchRows = 65536;
constexpr std::chrono::milliseconds kBatchInterval{200};
constexpr int kNiceness = 10;

// The trainer's threads come first, and its signal handlers are not run here.
void step_back() noexcept {
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNiceness);
  pthread_setname_np(pthread_self(), "strata-writer");
}

std::thread start_without_signals(auto&& body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(body);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace

StoreWriter::StoreWriter(StoreDatabase& database, SpoolPool& pool, DefinitionLog& definitions,
                         ProblemList& problems)
    : database_(database),
      pool_(pool),
      definitions_(definitions),
      problems_(problems),
      thread_(start_without_signals([this] { run(); })) {}

StoreWriter::~StoreWriter() {
  if (thread_.joinable()) finish();
}

void StoreWriter::wake() noexcept {
  wanted_.store(true, std::memory_order_relaxed);
  changed_
      .notify_one();  // may come to nothing when the thread is about to wait: a caller that waits calls again
}

bool StoreWriter::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_one();
  thread_.join();
  // The rest on the caller's thread: whoever waits for it does so at its own priority.
  work();
  while (failing_since_ns_ != 0 && !is_stalled()) {
    std::this_thread::sleep_for(kBatchInterval);
    work();
  }
  return failing_since_ns_ == 0;
}

void StoreWriter::run() {
  step_back();
  while (!finishing_.load(std::memory_order_relaxed)) {
    work();
    wait();
  }
}

void StoreWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kBatchInterval, [this] {
    const bool wanted = wanted_.load(std::memory_order_relaxed) && failing_since_ns_ == 0;
    return wanted || finishing_.load(std::memory_order_relaxed);
  });
  wanted_.store(false, std::memory_order_relaxed);
}

void StoreWriter::work() noexcept {
  try {
    pool_.top_up();
  } catch (const std::exception& error) {
    problems_.add(fmt::format(
        "run store: no file for a thread's rows, which are dropped and counted ({}); free some space",
        error.what()));
  }
  try {
    while (drain_batch()) {
    }
    failing_since_ns_ = 0;
    stalled_.store(false, std::memory_order_relaxed);
  } catch (const std::exception& error) {
    database_.rollback();
    const std::int64_t now_ns = monotonic_ns();
    if (failing_since_ns_ == 0) failing_since_ns_ = now_ns;
    stalled_.store(std::chrono::nanoseconds(now_ns - failing_since_ns_) > kStorePatience,
                   std::memory_order_relaxed);
    problems_.add(fmt::format("run store: rows cannot be written ({}); they stay in {} until there is space",
                              error.what(), definitions_.file().parent_path().string()));
  }
}

// False when there was not enough for a whole batch.
bool StoreWriter::drain_batch() {
  const Batch batch = look();
  return !batch.is_empty() && write(batch);
}

// Positions are read before the definitions: whatever those rows refer to has then been defined.
StoreWriter::Batch StoreWriter::look() {
  Batch batch;
  for (Spool* spool : pool_.spools()) batch.spools.push_back({spool, spool->released(), spool->written()});
  definitions_.flush();
  batch.definitions = read_definitions(definitions_.file(), definitions_drained_);
  if (!batch.definitions.problem.empty()) {
    problems_.add(
        fmt::format("run store: {} is damaged {}", definitions_.file().string(), batch.definitions.problem));
  }
  return batch;
}

bool StoreWriter::write(const Batch& batch) {
  struct Release {
    Spool* spool;
    std::uint64_t position;
  };
  std::vector<Release> releases;
  std::uint64_t rows_left = kBatchRows;
  database_.begin();
  for (const Definition& definition : batch.definitions.definitions) database_.define(definition);
  if (batch.definitions.end != definitions_drained_) {
    database_.set_drained_bytes(std::string(kDefinitionFile), batch.definitions.end);
  }
  for (std::size_t turn = 0; turn < batch.spools.size() && rows_left > 0; ++turn) {
    const auto& [spool, released, written] = batch.spools[(first_spool_ + turn) % batch.spools.size()];
    if (written == released) continue;
    SpoolReader reader(spool->ring(), released, written);
    try {
      rows_left -= database_.insert_rows(reader, rows_left);
    } catch (const SpoolError& error) {
      problems_.add(fmt::format("run store: {} takes no more rows: {}", spool->file_name(), error.what()));
      spool->refuse();
    }
    database_.set_drained_bytes(spool->file_name(), reader.position());
    releases.push_back({spool, reader.position()});
  }
  database_.commit();

  for (const Release& release : releases) release.spool->release(release.position);
  definitions_drained_ = batch.definitions.end;
  ++first_spool_;
  return rows_left == 0;
}

}  // namespace strata
