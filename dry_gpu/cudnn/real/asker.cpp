// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/asker.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "dry_gpu/cudnn/real/messages.hpp"
#include "dry_gpu/cudnn/real/words.hpp"

namespace strata::dry_gpu::real_cudnn {
namespace {

constexpr int kSocketOfAsker = 3;
constexpr const char* kGone = "its process ended, or did not answer in time";

class SpawnSettings {
 public:
  explicit SpawnSettings(int socket) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_adddup2(&actions_, socket, kSocketOfAsker);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions_, standard, "/dev/null", O_RDWR, 0);
    posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Its own end may not lie below the standard ones, which are opened anew there before.
int out_of_the_way(int descriptor) {
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, kSocketOfAsker + 1);
  close(descriptor);
  return moved;
}

// Returns 0 or the error. The process started here starts another one and ends at once.
int spawn(const std::filesystem::path& program, int socket) {
  std::vector<std::string> environment = environment_of_asker(environ, program.parent_path());
  std::vector<char*> variables;
  for (std::string& variable : environment) variables.push_back(variable.data());
  variables.push_back(nullptr);
  std::string name = program.string();
  std::string protocol(kProtocol);
  std::string parent = std::to_string(getpid());
  const std::array<char*, 4> words = {name.data(), protocol.data(), parent.data(), nullptr};
  const SpawnSettings settings(socket);
  pid_t started = 0;
  const int error = posix_spawn(&started, name.c_str(), settings.actions(), settings.attributes(),
                                words.data(), variables.data());
  if (error != 0) return error;
  int ended = 0;
  while (waitpid(started, &ended, 0) < 0 && errno == EINTR) {
  }
  return 0;
}

// The text of a refusal.
std::string reason_in(std::string_view answer) {
  return take_until(answer, ' ') == kNo ? std::string(answer) : std::string("its answer is invalid");
}

}  // namespace

std::vector<std::string> environment_of_asker(char** environment, const std::filesystem::path& dry_folder) {
  constexpr std::array<std::string_view, 6> kLeftOut = {
      "LD_PRELOAD=", "LD_AUDIT=", "STRATA_", "CUDA_VISIBLE_DEVICES=", "CUDA_INJECTION", "CUDNN_LOG"};
  constexpr std::string_view kSearchPath = "LD_LIBRARY_PATH=";
  const std::filesystem::path dry = (dry_folder / "").lexically_normal();
  std::vector<std::string> kept = {"CUDA_VISIBLE_DEVICES="};  // does not use an existing GPU
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    std::string_view variable = *environment;
    if (std::ranges::any_of(kLeftOut, [&](std::string_view name) { return variable.starts_with(name); }))
      continue;
    if (!variable.starts_with(kSearchPath)) {
      kept.emplace_back(variable);
      continue;
    }
    variable.remove_prefix(kSearchPath.size());
    std::string folders;
    while (!variable.empty()) {
      const std::string_view folder = take_until(variable, ':');
      if (folder.empty() || (std::filesystem::path(folder) / "").lexically_normal() == dry) continue;
      folders += (folders.empty() ? "" : ":") + std::string(folder);
    }
    if (!folders.empty()) kept.push_back(std::string(kSearchPath) + folders);
  }
  return kept;
}

Asker::Started Asker::start(const Start& start) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return {nullptr, std::string("no socket: ") + std::strerror(errno)};
  const int theirs = out_of_the_way(ends[1]);
  std::unique_ptr<Asker> asker(new Asker(out_of_the_way(ends[0]), start.longest_answer));
  const int error = theirs < 0 ? EMFILE : spawn(start.program, theirs);
  if (theirs >= 0) close(theirs);
  if (error != 0) return {nullptr, start.program.string() + " cannot be started: " + std::strerror(error)};
  const Deadline deadline = std::chrono::steady_clock::now() + start.longest_start;
  for (const std::string& part : {start.library, start.device, start.profile}) {
    if (!send_message(asker->socket_, part, deadline)) return {nullptr, kGone};
  }
  const std::optional<std::string> answer = receive_message(asker->socket_, deadline);
  if (!answer) return {nullptr, kGone};
  if (!answer->starts_with(kReady)) return {nullptr, reason_in(*answer)};
  return {std::move(asker), {}};
}

Asker::~Asker() {
  end();
}

// Its process detects that the connection is closed, and ends, even if a forked child of this process also
// has the socket.
void Asker::end() {
  if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
  leave();
}

void Asker::leave() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

std::optional<std::string> Asker::ask(const std::string& request) {
  if (is_over()) return std::nullopt;
  const Deadline deadline = std::chrono::steady_clock::now() + longest_answer_;
  std::optional<std::string> answer;
  if (send_message(socket_, request, deadline)) answer = receive_message(socket_, deadline);
  if (!answer) end();
  return answer;
}

std::optional<Configurations> Asker::configurations(std::int32_t mode, std::string_view graph) {
  const auto answer = ask(std::string(kGraph) + ' ' + std::to_string(mode) + '\n' + std::string(graph));
  if (!answer) return std::nullopt;
  std::string_view rest = *answer;
  if (rest.starts_with(kNo)) return std::nullopt;
  if (take_until(rest, '\n') == kConfigurations) {
    if (auto configurations = parse_configurations(rest)) return configurations;
  }
  end();  // what answers like that is not to be believed in anything
  return std::nullopt;
}

std::optional<Plan> Asker::plan(std::int32_t mode, std::size_t place, std::string_view graph) {
  const auto answer = ask(std::string(kPlan) + ' ' + std::to_string(mode) + ' ' + std::to_string(place) +
                          '\n' + std::string(graph));
  if (!answer) return std::nullopt;
  std::string_view rest = *answer;
  if (rest.starts_with(kNo)) return std::nullopt;
  if (take_until(rest, ' ') == kPlan) {
    if (const auto plan = parse_plan(rest)) return plan;
  }
  end();
  return std::nullopt;
}

}  // namespace strata::dry_gpu::real_cudnn
