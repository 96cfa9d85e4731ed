// SPDX-License-Identifier: Apache-2.0
#include "host/drop_in/torch_source.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "strata/runtime/torch_release.hpp"

namespace strata::drop_in {
namespace {

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

}  // namespace

void build_missing_torch_source() {
  const std::optional<TorchRelease> torch = loaded_torch();
  if (!torch || !find_shipped_torch_source(*torch).empty()) return;
  // Also called if a file exists: the program checks whether it was built from these sources.
  if (run(program(), torch->root.string()) != 0)
    throw std::runtime_error("no source of events for torch " + torch->version +
                             " came with Strata, and none could be built here");
}

}  // namespace strata::drop_in
