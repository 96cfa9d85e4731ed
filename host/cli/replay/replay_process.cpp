// SPDX-License-Identifier: Apache-2.0
#include "host/cli/replay/replay_process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>

#include "host/cli/exit_code.hpp"
#include "host/cli/explain.hpp"
#include "host/cli/part_library.hpp"
#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

// Both ends of a pipe through which a result comes back, as the bytes that it is made of.
class ResultPipe {
 public:
  ResultPipe() {
    if (pipe(ends_.data()) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot create a pipe for a replay");
  }
  ~ResultPipe() {
    close_end(0);
    close_end(1);
  }
  ResultPipe(const ResultPipe&) = delete;
  ResultPipe& operator=(const ResultPipe&) = delete;

  void close_end(std::size_t end) {
    if (ends_.at(end) >= 0) close(ends_.at(end));
    ends_.at(end) = -1;
  }

  void send(const replay::Result& result) const {
    send_all(result.problem);
    send_bytes(&result.outcome, sizeof result.outcome);
    send_all(result.after);
    send_all(result.emptied);
  }

  // False where it ends too early.
  bool receive(replay::Result& result) const {
    return receive_all(result.problem) && receive_bytes(&result.outcome, sizeof result.outcome) &&
           receive_all(result.after) && receive_all(result.emptied);
  }

 private:
  template <typename Sequence>
  void send_all(const Sequence& sequence) const {
    static_assert(std::is_trivially_copyable_v<typename Sequence::value_type>);
    const std::size_t count = sequence.size();
    send_bytes(&count, sizeof count);
    send_bytes(sequence.data(), count * sizeof(typename Sequence::value_type));
  }

  template <typename Sequence>
  bool receive_all(Sequence& sequence) const {
    std::size_t count = 0;
    if (!receive_bytes(&count, sizeof count)) return false;
    sequence.resize(count);
    return receive_bytes(sequence.data(), count * sizeof(typename Sequence::value_type));
  }

  void send_bytes(const void* bytes, std::size_t count) const {
    const auto* next = static_cast<const char*>(bytes);
    while (count > 0) {
      const ssize_t sent = write(ends_[1], next, count);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) throw std::system_error(errno, std::generic_category(), "cannot send a replay's result");
      next += sent;
      count -= static_cast<std::size_t>(sent);
    }
  }

  bool receive_bytes(void* bytes, std::size_t count) const {
    auto* next = static_cast<char*>(bytes);
    while (count > 0) {
      const ssize_t got = read(ends_[0], next, count);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      next += got;
      count -= static_cast<std::size_t>(got);
    }
    return true;
  }

  std::array<int, 2> ends_{-1, -1};
};

static_assert(std::is_trivially_copyable_v<replay::Outcome>);

int replay_here(const DryChoice& choice, const replay::Request& request, const ResultPipe& pipe) {
  try {
    // Only the request determines a replay's settings.
    unsetenv("PYTORCH_CUDA_ALLOC_CONF");
    unsetenv("PYTORCH_ALLOC_CONF");
    const DryGpu device(choice);
    device.copy_to_children();  // in which it tries what cannot be undone
    const auto replay =
        reinterpret_cast<replay::ReplayFunction>(find_in_part("libstrata_replay.so", replay::kReplaySymbol,
                                                              "the replay", {"libc10.so", "libc10_cuda.so"})
                                                     .address);
    pipe.send(replay(request));
    return kDone;
  } catch (...) {
    return explain_current_exception();
  }
}

}  // namespace

replay::Result replay_in_process(const DryChoice& choice, const replay::Request& request) {
  ResultPipe pipe;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) throw std::system_error(errno, std::generic_category(), "cannot start a replay");
  if (pid == 0) {
    // Do not outlive a killed parent.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(kFailed);
    pipe.close_end(0);
    // Runs no destructors of this process, whose owner is still using its objects.
    _exit(replay_here(choice, request, pipe));
  }
  pipe.close_end(1);
  replay::Result result;
  const bool is_whole = pipe.receive(result);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == kUsage) throw UsageError("replay: nothing was replayed");
  if (!is_whole || status != 0)
    throw std::runtime_error(fmt::format("a replay's process ended {}",
                                         WIFSIGNALED(status) ? fmt::format("by signal {}", WTERMSIG(status))
                                                             : fmt::format("with {}", WEXITSTATUS(status))));
  return result;
}

}  // namespace strata::cli
