// SPDX-License-Identifier: Apache-2.0
#include "host/grid/processes/program_output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace strata::grid {
namespace {

constexpr int kNoProgram = 127, kSignal = 128;

class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category(), "cannot create a pipe");
  }
  ~Pipe() {
    close(ends_[0]);
    close_writing();
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_writing() {
    if (ends_[1] >= 0) close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_{};
};

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  posix_spawn_file_actions_t* get() { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_{};
};

// Whether there may be more.
bool read_some(int descriptor, std::string& text) {
  std::array<char, 4096> part{};
  const ssize_t count = read(descriptor, part.data(), part.size());
  if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

int exit_code_of(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? kSignal + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

ProgramOutput output_of(const std::vector<std::string>& words) {
  std::vector<std::string> texts = words;
  std::vector<char*> arguments;
  arguments.reserve(texts.size() + 1);
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  Pipe output, error;
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(actions.get(), output.writing(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(actions.get(), error.writing(), STDERR_FILENO);
  pid_t pid = 0;
  const int problem = posix_spawnp(&pid, arguments[0], actions.get(), nullptr, arguments.data(), environ);
  if (problem == ENOENT || problem == EACCES)
    return {.exit_code = kNoProgram, .output = {}, .error = words.front() + " is not in PATH"};
  if (problem != 0)
    throw std::system_error(problem, std::generic_category(), "cannot start " + words.front());
  output.close_writing();
  error.close_writing();
  ProgramOutput said;
  std::array<pollfd, 2> ends{pollfd{output.reading(), POLLIN, 0}, pollfd{error.reading(), POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) break;
    if (ends[0].revents != 0 && !read_some(ends[0].fd, said.output)) ends[0].fd = -1;
    if (ends[1].revents != 0 && !read_some(ends[1].fd, said.error)) ends[1].fd = -1;
  }
  said.exit_code = exit_code_of(pid);
  return said;
}

}  // namespace strata::grid
