// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/rank_processes.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <numeric>
#include <system_error>
#include <vector>

#include "host/cli/exit_code.hpp"
#include "host/cli/explain.hpp"
#include "host/cli/scratch_folder.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/usage_error.hpp"
#include "strata/runtime/whole_number.hpp"

namespace strata::cli {
namespace {

std::optional<std::uint32_t> number_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr) return std::nullopt;
  const std::optional<std::uint32_t> number = whole_number(value);
  if (!number)
    throw UsageError(fmt::format("{}: expected a number from torchrun, found '{}'", variable, value));
  return number;
}

// While it lives, these signals wait to be taken by `next`.
class SignalQueue {
 public:
  SignalQueue() {
    sigemptyset(&signals_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&signals_, signal);
    sigprocmask(SIG_BLOCK, &signals_, &before_);
  }
  ~SignalQueue() { release(); }
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  // Also in a child, which inherits the signal mask.
  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // Empty after `limit`.
  std::optional<siginfo_t> next(std::chrono::milliseconds limit) const {
    const timespec time{.tv_sec = limit.count() / 1000, .tv_nsec = limit.count() % 1000 * 1'000'000};
    siginfo_t info{};
    if (sigtimedwait(&signals_, &info, &time) < 0) return std::nullopt;
    return info;
  }

 private:
  sigset_t signals_{}, before_{};
};

int exit_code_of_status(int status) {
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

class RankProcesses {
 public:
  RankProcesses(const SomeRanks& ranks, const std::function<int(const trainer::RankPlace&)>& body,
                std::chrono::milliseconds grace)
      : ranks_(ranks), body_(body), grace_(grace) {
    start(ranks.first);
  }

  int wait() {
    const std::chrono::milliseconds pause(ranks_.more ? 50 : 500);
    while (alive() > 0) {
      if (const auto info = queue_.next(pause)) pass_on(*info);
      reap();
      if (ranks_.more && !first_failure_) start(ranks_.more(static_cast<std::size_t>(alive())));
      if (deadline_ && std::chrono::steady_clock::now() > *deadline_) signal_all(SIGKILL);
    }
    return first_failure_.value_or(kDone);
  }

 private:
  void start(const std::vector<std::uint32_t>& ranks) {
    for (const std::uint32_t rank : ranks) {
      start({.rank = rank,
             .world_size = ranks_.world_size,
             .local_rank = rank,
             .local_world_size = ranks_.world_size,
             .launcher = trainer::Launcher::kStrata,
             .rendezvous = meeting_place_.path() / "store"});
    }
  }

  void start(const trainer::RankPlace& place) {
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) {
      const int error = errno;
      signal_all(SIGKILL);
      wait();
      throw std::system_error(error, std::generic_category(),
                              fmt::format("cannot start rank {} of {}", place.rank, place.world_size));
    }
    if (pid > 0) {
      pids_.push_back(pid);
      numbers_.push_back(place.rank);
      return;
    }
    // Do not outlive a killed parent.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(kFailed);
    queue_.release();
    // Not back to where this process's owner is in the middle of something.
    std::exit(run_or_explain(place));
  }

  int run_or_explain(const trainer::RankPlace& place) const {
    if (place.rank > 0) speak_as(fmt::format("rank {}", place.rank));
    try {
      return body_(place);
    } catch (...) {
      return explain_current_exception();
    }
  }

  // Ctrl-C of a terminal reaches the ranks by itself.
  void pass_on(const siginfo_t& info) {
    const bool of_terminal = info.si_signo == SIGINT && info.si_code == SI_KERNEL;
    if (info.si_signo != SIGCHLD && !of_terminal) signal_all(info.si_signo);
  }

  void reap() {
    for (std::size_t index = 0; index < pids_.size(); ++index) {
      int status = 0;
      if (pids_[index] == 0 || waitpid(pids_[index], &status, WNOHANG) != pids_[index]) continue;
      pids_[index] = 0;
      const int code = exit_code_of_status(status);
      if (code != kDone && !first_failure_) end_others(numbers_[index], code);
    }
  }

  // The others would wait for it in their next collective, most for long.
  void end_others(std::uint32_t rank, int code) {
    first_failure_ = code;
    if (alive() == 0) return;
    if (code < kSignalBase)
      say(fmt::format("rank {} ended with exit code {}; ending the other ranks", rank, code));
    signal_all(SIGTERM);
    deadline_ = std::chrono::steady_clock::now() + grace_;
  }

  void signal_all(int signal) const {
    for (const pid_t pid : pids_) {
      if (pid > 0) kill(pid, signal);
    }
  }

  std::ptrdiff_t alive() const {
    return std::ranges::count_if(pids_, [](pid_t pid) { return pid > 0; });
  }

  const SomeRanks& ranks_;
  const std::function<int(const trainer::RankPlace&)>& body_;
  std::chrono::milliseconds grace_;
  ScratchFolder meeting_place_{"strata-ranks"};
  SignalQueue queue_;
  std::vector<pid_t> pids_;             // in the order of starting; 0 once it has ended
  std::vector<std::uint32_t> numbers_;  // their ranks
  std::optional<int> first_failure_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
};

}  // namespace

std::optional<trainer::RankPlace> place_from_torchrun(const config::RunConfig& config) {
  if (config.world_size == 1) return std::nullopt;
  const auto rank = number_in("RANK");
  const auto world_size = number_in("WORLD_SIZE");
  if (!rank || !world_size) return std::nullopt;
  if (*world_size != config.world_size)
    throw UsageError(
        fmt::format("world_size is {}, but torchrun started {} ranks (WORLD_SIZE); write world_size={}",
                    config.world_size, *world_size, *world_size));
  for (const char* const variable : {"MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK", "LOCAL_WORLD_SIZE"}) {
    if (std::getenv(variable) == nullptr)
      throw UsageError(
          fmt::format("RANK and WORLD_SIZE are set, as torchrun does, but {} is not; set it, too, or unset "
                      "all of them to let `strata run` start the ranks",
                      variable));
  }
  return trainer::RankPlace{.rank = *rank,
                            .world_size = *world_size,
                            .local_rank = number_in("LOCAL_RANK").value_or(0),
                            .local_world_size = number_in("LOCAL_WORLD_SIZE").value_or(1),
                            .launcher = trainer::Launcher::kTorchrun};
}

std::string torchrun_start() {
  std::string start = "torchrun";
  for (const char* const variable :
       {"MASTER_ADDR", "MASTER_PORT", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"}) {
    const char* const value = std::getenv(variable);
    start += fmt::format(" {}={}", variable, value == nullptr ? "" : value);
  }
  return start + '\n';
}

int run_rank_processes(std::uint32_t world_size, const std::function<int(const trainer::RankPlace&)>& body,
                       std::chrono::milliseconds grace) {
  SomeRanks all{.world_size = world_size, .first = std::vector<std::uint32_t>(world_size), .more = {}};
  std::iota(all.first.begin(), all.first.end(), 0U);
  return run_rank_processes(all, body, grace);
}

int run_rank_processes(const SomeRanks& ranks, const std::function<int(const trainer::RankPlace&)>& body,
                       std::chrono::milliseconds grace) {
  return RankProcesses(ranks, body, grace).wait();
}

}  // namespace strata::cli
