// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/writer_thread.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "host/runtime/clock.hpp"
#include "host/runtime/store/store.hpp"

namespace strata {
namespace {

// A program whose main() calls pthread_exit ends with its last thread. It must not wait for one of our
// threads.

// See proc(5): the state follows the name, which is in parentheses and may contain any. The first thread
// stays a zombie until the process ends.
bool has_first_thread_ended() {
  std::ifstream stream("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.substr(name_end).starts_with(") Z");
}

// Whether the process's first thread and all others except the caller have ended. False if that is unknown.
bool is_last_thread() noexcept {
  try {
    if (!has_first_thread_ended()) return false;
    const std::string first = std::to_string(getpid()), own = std::to_string(gettid());
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return std::all_of(begin(threads), end(threads), [&](const auto& thread) {
      return thread.path().filename() == first || thread.path().filename() == own;
    });
  } catch (const std::exception&) {
    return false;
  }
}

constexpr std::chrono::milliseconds kBatchInterval{200};
// So long at once, of one transaction.
constexpr std::chrono::milliseconds kThinningTime{50};
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

WriterThread::WriterThread(StoreDatabase& database, SpoolPool& pool, DefinitionLog& definitions,
                           ProblemList& problems, const StoreSize& size)
    : database_(database),
      pool_(pool),
      definitions_(definitions),
      problems_(problems),
      size_(size),
      thread_(start_without_signals([this] { run(); })) {}

WriterThread::~WriterThread() {
  if (thread_.joinable()) finish();
}

void WriterThread::wake() noexcept {
  wanted_.store(true, std::memory_order_relaxed);
  changed_
      .notify_one();  // may come to nothing when the thread is about to wait: a caller that waits calls again
}

bool WriterThread::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_.store(true, std::memory_order_relaxed);
  }
  changed_.notify_one();
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();  // the last of the process, which ends it
  } else {
    thread_.join();
  }
  if (each_second_) each_second_();  // of what happened since the last second
  // The rest runs on the caller's thread, at the priority of whoever waits for it.
  work();
  while (failing_since_ns_ != 0 && !is_stalled()) {
    std::this_thread::sleep_for(kBatchInterval);
    work();
  }
  return failing_since_ns_ == 0;
}

void WriterThread::run() {
  step_back();
  while (!finishing_.load(std::memory_order_relaxed)) {
    work();
    if (do_each_second() && is_last_thread()) return;
    wait();
  }
}

void WriterThread::each_second(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  each_second_ = std::move(work);
}

bool WriterThread::do_each_second() {
  const std::int64_t now_ns = monotonic_ns();
  if (now_ns - second_began_ns_ < 1'000'000'000) return false;
  second_began_ns_ = now_ns;
  const std::lock_guard lock(mutex_);
  if (each_second_) each_second_();
  return true;
}

void WriterThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kBatchInterval, [this] {
    const bool wanted = wanted_.load(std::memory_order_relaxed) && failing_since_ns_ == 0;
    return wanted || finishing_.load(std::memory_order_relaxed);
  });
  wanted_.store(false, std::memory_order_relaxed);
}

void WriterThread::work() noexcept {
  try {
    pool_.top_up();
  } catch (const std::exception& error) {
    problems_.add(
        fmt::format("run store: no file can be created for a thread's rows ({}); they are dropped and "
                    "counted; free some space",
                    error.what()));
  }
  try {
    while (drain_within_size()) {
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

bool WriterThread::drain_within_size() {
  if (!size_.is_limited()) return drain_batch();
  make_room();
  const bool is_more = drain_batch();
  end_round();
  return is_more;
}

// Everything that any thread had appended when the round began is in the file.
void WriterThread::end_round() {
  if (cannot_thin_ || !round_.is_over()) return;
  database_.thinner()->end_round();
  round_.spools.clear();
  for (Spool* spool : pool_.spools()) round_.spools.emplace_back(spool, spool->written());
}

// Steps are thinned before the store is full, so that appends rarely wait for it. Rows are only dropped if
// nothing more can be thinned.
void WriterThread::make_room() {
  const std::uint64_t most = size_.file_bytes(pool_.spools().size());
  bool is_left = !cannot_thin_;
  std::uint64_t used = database_.thinner()->used_bytes();
  while (is_left && used > size_.wanted(most)) {
    try {
      database_.begin();
      is_left = database_.thinner()->work(size_.wanted(most), size_.full(most), size_.batch_rows(),
                                          std::chrono::steady_clock::now() + kThinningTime);
      database_.commit();
    } catch (const std::exception& error) {
      database_.rollback();
      cannot_thin_ = true;
      problems_.add(fmt::format("run store: the oldest steps can no longer be thinned ({})", error.what()));
      break;
    }
    used = database_.thinner()->used_bytes();
    if (used <= size_.full(most)) break;
  }
  const bool is_full = used > size_.full(most);
  database_.drop_rows(is_full);
  if (is_full)
    problems_.add(fmt::format(
        "run store: it has reached its limit (store.max_mb: {}), and nothing more can be thinned: the step "
        "with the peak, the last steps and live blocks are kept. Rows are dropped and counted; raise "
        "store.max_mb, or record less of each step (trace.ops, schedule, plugins)",
        size_.max_mb()));
}

// False when there was not enough for a whole batch.
bool WriterThread::drain_batch() {
  const Batch batch = look();
  return !batch.is_empty() && write(batch);
}

// Positions are read before the definitions: whatever those rows refer to has then been defined.
WriterThread::Batch WriterThread::look() {
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

// Definitions are in the file before the rows that refer to them.
void WriterThread::write_definitions(const DefinitionBatch& batch) {
  if (batch.end == definitions_drained_) return;
  database_.begin();
  for (const Definition& definition : batch.definitions) database_.define(definition);
  database_.set_drained_bytes(std::string(kDefinitionFile), batch.end);
  database_.commit();
  definitions_drained_ = batch.end;
}

bool WriterThread::write(const Batch& batch) {
  write_definitions(batch.definitions);
  struct Release {
    Spool* spool;
    std::uint64_t position;
  };
  std::vector<Release> releases;
  const std::uint64_t batch_rows = size_.batch_rows();
  std::uint64_t rows_left = batch_rows;
  for (std::size_t turn = 0; turn < batch.spools.size() && rows_left > 0; ++turn) {
    const auto& [spool, released, written] = batch.spools[(first_spool_ + turn) % batch.spools.size()];
    if (written == released) continue;
    SpoolReader reader(spool->ring(), released, written);
    try {
      rows_left -= database_.stage_rows(reader, rows_left, spool->thread());
    } catch (const SpoolError& error) {
      problems_.add(fmt::format("run store: {} accepts no more rows: {}", spool->file_name(), error.what()));
      spool->refuse();
    }
    releases.push_back({spool, reader.position()});
  }
  const bool is_more = rows_left == 0 || database_.is_stage_full();
  if (releases.empty()) return is_more;

  database_.begin();
  database_.insert_rows();
  for (const Release& release : releases) {
    database_.set_drained_bytes(release.spool->file_name(), release.position);
  }
  const std::uint64_t dropped = database_.define_drops();
  database_.commit();
  dropped_rows_.fetch_add(dropped, std::memory_order_relaxed);

  for (const Release& release : releases) release.spool->release(release.position);
  ++first_spool_;
  return is_more;
}

}  // namespace strata
