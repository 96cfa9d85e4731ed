// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/trial_server.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "host/cli/child_process.hpp"
#include "host/cli/dry/trial_output.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/training/interrupt.hpp"
#include "host/grid/processes/program_start.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// Libraries that create threads when loaded or first used: a process to be forked must have only one.
constexpr const char* kThreadCounts[] = {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"};

class Connection {
 public:
  explicit Connection(const fs::path& place) : descriptor_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = place.string();
    if (descriptor_ < 0 || name.size() >= sizeof address.sun_path) refuse();
    name.copy(address.sun_path, name.size());
    if (connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) refuse();
  }
  ~Connection() { close(descriptor_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(descriptor_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) refuse();
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  std::string line() const {
    std::string line;
    while (line.empty() || line.back() != '\n') {
      if (InterruptGuard::signal() != 0) end_trial();
      pollfd ready{.fd = descriptor_, .events = POLLIN, .revents = 0};
      constexpr int kMilliseconds = 100;
      if (poll(&ready, 1, kMilliseconds) <= 0) continue;
      char character = 0;
      const ssize_t got = recv(descriptor_, &character, 1, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) refuse();
      line += character;
    }
    return line;
  }

 private:
  // Waits until it has ended: it writes into a folder that goes.
  [[noreturn]] void end_trial() const {
    shutdown(descriptor_, SHUT_WR);
    char rest = 0;
    while (recv(descriptor_, &rest, 1, 0) > 0 || errno == EINTR) errno = 0;
    throw TrialInterrupted(kSignalBase + InterruptGuard::signal());
  }

  [[noreturn]] static void refuse() {
    throw std::runtime_error("the process from which trials are forked has ended");
  }

  int descriptor_;
};

}  // namespace

TrialServer::TrialServer(const std::string& program, const std::vector<std::string>& command,
                         Variables variables, const fs::path& folder)
    : socket_(folder / "server"), owner_(getpid()) {
  variables["STRATA_TRIAL_SERVER"] = socket_.string();
  for (const char* const name : kThreadCounts) variables[name] = "1";
  std::vector<std::string> words = command;
  std::vector<std::string> entries = grid::environment_with(variables);
  entries.reserve(entries.size() + 1);
  std::string& number = entries.emplace_back(64, '\0');
  constexpr std::string_view kProcess = "STRATA_TRIAL_SERVER_PROCESS=";
  kProcess.copy(number.data(), kProcess.size());
  const std::vector<char*> word_pointers = grid::pointers_to(words);
  const std::vector<char*> entry_pointers = grid::pointers_to(entries);
  const fs::path said = folder / "server.txt";
  process_ = fork();
  if (process_ < 0) throw std::system_error(errno, std::generic_category(), "cannot start " + program);
  if (process_ > 0) {
    end_ = static_cast<int>(syscall(SYS_pidfd_open, process_, 0));
    return;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != owner_) _exit(kNotExecutable);
  redirect_output(said);
  char* const digits = number.data() + kProcess.size();
  *std::to_chars(digits, number.data() + number.size() - 1, getpid()).ptr = '\0';
  execve(program.c_str(), word_pointers.data(), entry_pointers.data());
  _exit(kNotExecutable);
}

TrialServer::~TrialServer() {
  if (getpid() != owner_) return;
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(end_);
}

bool TrialServer::is_ready() const {
  const fs::path refused = socket_.string() + ".refused";
  while (!fs::exists(socket_)) {
    pollfd end{.fd = end_, .events = POLLIN, .revents = 0};
    constexpr int kMilliseconds = 20;
    if (poll(&end, 1, kMilliseconds) > 0 || fs::exists(refused)) return false;
  }
  return true;
}

TrialServer::End TrialServer::run(const Variables& variables, const fs::path& output) const {
  const Connection server(socket_);
  const nlohmann::json request{{"variables", variables}, {"output", output.string()}};
  server.send(request.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
  End end;
  std::uint64_t kibibytes = 0;
  std::istringstream(server.line()) >> end.exit_code >> kibibytes;
  end.host_bytes = kibibytes << 10;
  return end;
}

}  // namespace strata::cli
