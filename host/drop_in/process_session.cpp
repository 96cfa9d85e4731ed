// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/process_session.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "host/drop_in/claimed_number.hpp"
#include "host/drop_in/place.hpp"
#include "host/drop_in/settings.hpp"
#include "host/drop_in/torch_source.hpp"

namespace strata::drop_in {
namespace {

// Never destroyed: the process may end on any thread, at any time.
std::atomic<Session*> session{nullptr};
std::atomic<pid_t> session_process{0};
std::atomic<std::uint32_t> calls{0};
std::atomic<std::uint64_t> sessions_opened{0};

// A thread that is stuck in a call keeps its session, which then stays for good.
constexpr std::chrono::seconds kCallLimit{5};

void end_session(int status) noexcept {
  // A forked child has its parent's session, which is the parent's to end.
  const SessionCall call;
  if (call.session() != nullptr)
    call.session()->end_run_at_exit(status == 0 ? RunEnd::kDone : RunEnd::kFailed);
}

void at_exit(int status, void*) {
  end_session(status);
}

// The parent's session is the parent's, and calls of threads that are not here do not return.
void forget_parents_session() noexcept {
  session = nullptr;
  calls = 0;
}

// A program that trains without torch shall not have it loaded for our sake.
void leave_out_torch_where_it_is_not(SessionOptions& options) {
  if (dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD) != nullptr) return;
  std::erase_if(options.sources, [](const PluginRequest& source) { return source.name == "torch"; });
}

void open_session(const std::string& settings) {
  build_missing_torch_source();
  SessionOptions options = read_settings(settings);
  leave_out_torch_where_it_is_not(options);
  const ProcessPlace place = place_of_process();
  options.rank = place.rank;
  options.world_size = place.world_size;
  ClaimedNumber number(options.directory / ("rank" + std::to_string(place.rank)));
  options.process = number.number();
  options.manifest = number.manifest();
  auto* const opened = new Session(std::move(options));
  number.keep();
  opened->describe("allocator", allocator_text());
  static std::once_flag forks_watched;
  std::call_once(forks_watched, [] { pthread_atfork(nullptr, nullptr, forget_parents_session); });
  session_process = getpid();
  watch_exit();
  opened->begin_run();
  opened->ready();
  sessions_opened.fetch_add(1, std::memory_order_relaxed);
  session = opened;
}

void open_as_configured() noexcept {
  const char* const settings = secure_getenv(kSettingsVariable);
  if (settings == nullptr) return;
  try {
    open_session(settings);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "strata: nothing of process %d is recorded: %s\n", static_cast<int>(getpid()),
                 error.what());
  }
}

}  // namespace

// Registered after the session's own handler, so that it runs first: it knows how the program ended.
void watch_exit() noexcept {
  on_exit(at_exit, nullptr);
}

Session* process_session() noexcept {
  static std::once_flag opened;
  std::call_once(opened, open_as_configured);
  return session;
}

void open_process_session(const std::string& settings) {
  if (session.load() != nullptr) throw std::logic_error("a session already records this process");
  open_session(settings);
}

void close_process_session(RunEnd reason) noexcept {
  if (getpid() != session_process.load()) return;
  Session* const closed = session.exchange(nullptr);
  if (closed == nullptr) return;
  closed->end_run(reason);
  const auto deadline = std::chrono::steady_clock::now() + kCallLimit;
  while (calls.load() != 0) {
    if (std::chrono::steady_clock::now() > deadline) return;
    std::this_thread::yield();
  }
  delete closed;  // NOLINT: open_session made it
}

// Sequentially consistent on both sides: either the call sees the session gone, or the wait sees the call.
SessionCall::SessionCall() noexcept {
  calls.fetch_add(1);
  session_ = drop_in::session.load();
  if (session_ != nullptr && getpid() != session_process.load(std::memory_order_relaxed)) session_ = nullptr;
}

std::uint64_t SessionCall::sessions() noexcept {
  return sessions_opened.load(std::memory_order_relaxed);
}

SessionCall::~SessionCall() {
  calls.fetch_sub(1);
}

void leave_process(int status) noexcept {
  end_session(status);
}

}  // namespace strata::drop_in
