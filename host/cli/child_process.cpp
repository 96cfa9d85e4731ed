// SPDX-License-Identifier: Apache-2.0
#include "host/cli/child_process.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "host/cli/exit_code.hpp"
#include "host/cli/terminal.hpp"
#include "host/grid/processes/program_start.hpp"

namespace strata::cli {
namespace {

std::atomic<pid_t> child = 0;
bool were_children_ignored = false;

void pass_on(int signal) {
  const int error = errno;
  if (const pid_t pid = child.load(); pid > 0) kill(pid, signal);
  errno = error;
}

// While it exists, signals meant for the program are passed on, and Ctrl-C lets us wait for it. Signals that
// arrive before its pid is known wait until `deliver`.
class SignalsForChild {
 public:
  SignalsForChild() {
    sigset_t waiting;
    sigemptyset(&waiting);
    for (const int signal : kPassedOn) sigaddset(&waiting, signal);
    sigprocmask(SIG_BLOCK, &waiting, &mask_before_);
    for (std::size_t index = 0; index < kPassedOn.size(); ++index) {
      struct sigaction action {};
      action.sa_handler = &pass_on;
      action.sa_flags = SA_RESTART;
      sigaction(kPassedOn[index], &action, &before_[index]);
    }
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_before_);
  }
  ~SignalsForChild() { restore(); }
  SignalsForChild(const SignalsForChild&) = delete;
  SignalsForChild& operator=(const SignalsForChild&) = delete;

  void deliver() const { sigprocmask(SIG_SETMASK, &mask_before_, nullptr); }

  // Also in the child, because ignored signals stay ignored across exec.
  void restore() const {
    for (std::size_t index = 0; index < kPassedOn.size(); ++index)
      sigaction(kPassedOn[index], &before_[index], nullptr);
    sigaction(SIGINT, &interrupt_before_, nullptr);
    deliver();
  }

 private:
  static constexpr std::array<int, 3> kPassedOn = {SIGTERM, SIGHUP, SIGQUIT};
  std::array<struct sigaction, 3> before_{};
  struct sigaction interrupt_before_ {};
  sigset_t mask_before_{};
};

}  // namespace

void keep_ended_children() {
  struct sigaction inherited {};
  sigaction(SIGCHLD, nullptr, &inherited);
  were_children_ignored = inherited.sa_handler == SIG_IGN;
  if (were_children_ignored) std::signal(SIGCHLD, SIG_DFL);
}

std::string find_program(const std::string& command) {
  if (command.find('/') != std::string::npos) return std::filesystem::exists(command) ? command : "";
  const char* const value = std::getenv("PATH");
  std::string_view rest = value == nullptr ? "/usr/bin:/bin" : value;
  while (true) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    const std::filesystem::path file = std::filesystem::path(folder.empty() ? "." : folder) / command;
    if (access(file.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(file)) return file.string();
    if (folder.size() == rest.size()) return {};
    rest.remove_prefix(folder.size() + 1);
  }
}

int run_program(const std::string& file, const std::vector<std::string>& words,
                const std::map<std::string, std::string>& variables) {
  std::vector<std::string> arguments = words;
  std::vector<std::string> entries = grid::environment_with(variables);
  const std::vector<char*> argument_pointers = grid::pointers_to(arguments);
  const std::vector<char*> entry_pointers = grid::pointers_to(entries);

  const SignalsForChild signals;
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start " + file);
  if (pid == 0) {
    signals.restore();
    if (were_children_ignored) std::signal(SIGCHLD, SIG_IGN);
    execve(file.c_str(), argument_pointers.data(), entry_pointers.data());
    complain(fmt::format("strata: {} cannot be run: {}\n", file, std::strerror(errno)));
    _exit(kNotExecutable);
  }
  child = pid;
  signals.deliver();
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  child = 0;
  return WIFSIGNALED(status) ? kSignalBase + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace strata::cli
