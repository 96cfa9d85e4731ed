// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/process_session.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "host/drop_in/settings.hpp"
#include "strata/runtime/torch_release.hpp"
#include "strata/runtime/whole_number.hpp"

namespace strata::drop_in {
namespace {

// Provides the source for the torch loaded by this process.

// bin/strata, seen from lib/strata, where this code lies.
std::filesystem::path program() {
  static const int anchor = 0;
  Dl_info info{};
  if (dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::canonical(info.dli_fname).parent_path().parent_path().parent_path() / "bin/strata";
}

// Neither the compiler nor the program may be recorded, or find another CUDA.
std::vector<char*> environment() {
  std::vector<char*> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("STRATA_EXEC=")) entries.push_back(*entry);
  }
  entries.push_back(nullptr);
  return entries;
}

int run(const std::filesystem::path& file, const std::string& torch) {
  std::string path = file.string(), command = "build-source", argument = torch;
  char* words[] = {path.data(), command.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY,
                                   0);  // it prints the file's path
  pid_t child = 0;
  const int error = posix_spawn(&child, path.c_str(), &actions, nullptr, words, environment().data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return error;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno == ECHILD)
      return 0;  // the program ignores SIGCHLD: the exit status is lost, but not the result
    if (errno != EINTR) return errno;
  }
  return status;
}

// Runs `strata build-source` if no file fits the loaded release, and waits for it. It prints its progress and
// errors on standard error. Throws std::runtime_error if it failed.
void build_missing_torch_source() {
  const std::optional<TorchRelease> torch = loaded_torch();
  if (!torch || !find_shipped_torch_source(*torch).empty()) return;
  // Also called if a file exists: the program checks whether it was built from these sources.
  if (run(program(), torch->root.string()) != 0)
    throw std::runtime_error("no source of events for torch " + torch->version +
                             " came with Strata, and none could be built here");
}

// The rank of this process in its job.

struct ProcessPlace {
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
};

std::optional<std::uint32_t> number_in(const char* variable) {
  const char* const value = secure_getenv(variable);
  return value == nullptr ? std::nullopt : whole_number(value);
}

std::optional<ProcessPlace> place_in(const char* rank_variable, const char* size_variable) {
  const auto rank = number_in(rank_variable), size = number_in(size_variable);
  if (!rank || !size || *rank >= *size) return std::nullopt;
  return ProcessPlace{*rank, *size};
}

// From the launcher's variables: RANK and WORLD_SIZE (torchrun, accelerate, DeepSpeed), else SLURM_PROCID and
// SLURM_NTASKS, else the only process. Invalid numbers are ignored.
ProcessPlace place_of_process() {
  if (const auto place = place_in("RANK", "WORLD_SIZE")) return *place;
  return place_in("SLURM_PROCID", "SLURM_NTASKS").value_or(ProcessPlace{});
}

// A process's number in its rank's folder: its pid, unless another process with the same pid has used the
// folder, in another container or before the pid was reused.

// Claimed by creating the process's manifest, which only one process can do. Released unless it is kept.
class ClaimedNumber {
 public:
  // Creates the folder if necessary. Throws std::system_error.
  explicit ClaimedNumber(std::filesystem::path rank_folder);
  ~ClaimedNumber();
  ClaimedNumber(const ClaimedNumber&) = delete;
  ClaimedNumber& operator=(const ClaimedNumber&) = delete;

  std::uint32_t number() const noexcept { return number_; }
  // manifest-<number>.json, which exists and is empty.
  std::filesystem::path manifest() const;
  void keep() noexcept { kept_ = true; }

 private:
  std::filesystem::path rank_folder_;
  std::uint32_t number_;
  bool kept_ = false;
};

// Linux gives no id from here on (PID_MAX_LIMIT).
constexpr std::uint32_t kProcessIds = std::uint32_t{1} << 22;

ClaimedNumber::ClaimedNumber(std::filesystem::path rank_folder)
    : rank_folder_(std::move(rank_folder)), number_(static_cast<std::uint32_t>(getpid())) {
  std::filesystem::create_directories(rank_folder_);
  for (;; number_ += kProcessIds) {
    const int file = open(manifest().c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (file >= 0) {
      close(file);
      return;
    }
    if (errno != EEXIST || number_ > std::numeric_limits<std::uint32_t>::max() - kProcessIds)
      throw std::system_error(errno, std::generic_category(), "make " + manifest().string());
  }
}

ClaimedNumber::~ClaimedNumber() {
  if (kept_) return;
  std::error_code ignored;
  std::filesystem::remove(manifest(), ignored);
  std::filesystem::remove(rank_folder_, ignored);  // if it is empty
}

std::filesystem::path ClaimedNumber::manifest() const {
  return rank_folder_ / ("manifest-" + std::to_string(number_) + ".json");
}

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
