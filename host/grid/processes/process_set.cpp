// SPDX-License-Identifier: Apache-2.0
#include "host/grid/processes/process_set.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/grid/processes/durable_file.hpp"
#include "host/grid/processes/program_start.hpp"

namespace strata::grid {
namespace {

constexpr int kNotExecutable = 126;

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& file, int flags)
      : descriptor_(open(file.c_str(), flags | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) throw WriteError(file, errno);
  }
  ~OpenFile() { close(descriptor_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int number() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

ProcessSet::ProcessSet() {
  sigemptyset(&signals_);
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1}) sigaddset(&signals_, signal);
  sigprocmask(SIG_BLOCK, &signals_, &before_);
  // Exceeding the file size limit must be reported as an error and not kill this process.
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignore, &size_action_);
}

ProcessSet::~ProcessSet() {
  for (const pid_t pid : running_) tell(pid, SIGKILL);
  for (const pid_t pid : running_) waitpid(pid, nullptr, 0);
  sigaction(SIGXFSZ, &size_action_, nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

pid_t ProcessSet::start(const Launch& launch) {
  std::vector<std::string> words = launch.words;
  std::vector<std::string> entries = environment_with(launch.variables);
  const std::vector<char*> arguments = pointers_to(words), variables = pointers_to(entries);
  const OpenFile nothing("/dev/null", O_RDWR);
  const OpenFile output(launch.output, O_WRONLY | O_CREAT | O_TRUNC);
  const OpenFile error(launch.error.empty() ? launch.output : launch.error,
                       O_WRONLY | O_CREAT | (launch.error.empty() ? O_APPEND : O_TRUNC));
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start " + words.front());
  if (pid == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kNotExecutable);
    dup2(nothing.number(), STDIN_FILENO);
    dup2(output.number(), STDOUT_FILENO);
    dup2(error.number(), STDERR_FILENO);
    sigaction(SIGXFSZ, &size_action_, nullptr);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
    if (launch.folder.empty() || chdir(launch.folder.c_str()) == 0)
      execve(arguments[0], arguments.data(), variables.data());
    constexpr std::string_view kSaid = "strata: the program cannot be run\n";
    const auto count = write(STDERR_FILENO, kSaid.data(), kSaid.size());
    static_cast<void>(count);
    _exit(kNotExecutable);
  }
  setpgid(pid, pid);  // whichever of the two is first
  running_.push_back(pid);
  return pid;
}

std::vector<ProcessSet::Ended> ProcessSet::wait(std::chrono::milliseconds limit) {
  std::vector<Ended> ended = reap();
  if (!ended.empty()) return ended;
  const timespec time{.tv_sec = limit.count() / 1000, .tv_nsec = limit.count() % 1000 * 1'000'000};
  siginfo_t info{};
  if (sigtimedwait(&signals_, &info, &time) > 0 && info.si_signo != SIGCHLD) interruption_ = info.si_signo;
  return reap();
}

std::vector<ProcessSet::Ended> ProcessSet::reap() {
  std::vector<Ended> ended;
  for (const pid_t pid : running_) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) != pid) continue;
    // Processes that it started and left behind.
    kill(-pid, SIGKILL);
    Ended one{.pid = pid, .exit_code = {}, .signal = {}};
    if (WIFSIGNALED(status))
      one.signal = WTERMSIG(status);
    else
      one.exit_code = WEXITSTATUS(status);
    ended.push_back(one);
  }
  std::erase_if(running_,
                [&](pid_t pid) { return std::ranges::find(ended, pid, &Ended::pid) != ended.end(); });
  return ended;
}

void ProcessSet::tell(pid_t pid, int signal) const {
  if (kill(-pid, signal) != 0) kill(pid, signal);
}

std::optional<int> ProcessSet::interruption() {
  return std::exchange(interruption_, std::nullopt);
}

}  // namespace strata::grid
