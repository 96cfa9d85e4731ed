// SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_directory.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

// Creates the folder and its parents; appends created ones, outermost first.
void make_folders(const fs::path& folder, std::vector<fs::path>& created) {
  if (folder.empty() || fs::is_directory(folder)) return;
  make_folders(folder.parent_path(), created);
  if (fs::create_directory(folder)) created.push_back(folder);
}

// A recording reveals what a program does, so only its user may read it. Returns whether the folder was new.
bool make_private_folder(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) == 0) return true;
  if (errno == EEXIST) return false;
  throw fs::filesystem_error("mkdir", folder, std::error_code(errno, std::generic_category()));
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& reason) {
  throw UsageError(fmt::format("the run's folder {} {}", folder.string(), reason));
}

// The first existing folder above `wanted` must be writable.
void require_folder_above(const fs::path& wanted) {
  std::error_code ignored;
  fs::path above = fs::absolute(wanted).parent_path();
  while (!fs::exists(above, ignored) && above.has_relative_path()) above = above.parent_path();
  if (!fs::is_directory(above, ignored)) {
    refuse(wanted,
           fmt::format("cannot be created: {} is not a folder; name another with --out", above.string()));
  }
  if (access(above.c_str(), W_OK | X_OK) != 0) {
    refuse(wanted, fmt::format("cannot be created: {}: {}; name another with --out", above.string(),
                               std::strerror(errno)));
  }
}

constexpr std::chrono::seconds kJoinLimit{60};

// Empty if it does not exist.
std::string read_file(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

void RunDirectory::require_free(const fs::path& wanted) {
  std::error_code error;
  const fs::file_status status = fs::status(wanted, error);
  if (!fs::exists(status)) return require_folder_above(wanted);
  if (!fs::is_directory(status)) refuse(wanted, "is not a folder; name another with --out");
  const bool empty = fs::is_empty(wanted, error);
  if (error) refuse(wanted, fmt::format("cannot be read: {}; name another with --out", error.message()));
  if (!empty) refuse(wanted, "is not empty; name another with --out, or remove it");
}

RunDirectory RunDirectory::create_default(const std::string& name,
                                          std::chrono::system_clock::time_point now) {
  const std::string time =
      fmt::format("{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
  const fs::path parent = fs::absolute(fs::path("runs") / name);
  RunDirectory directory;
  try {
    make_folders(parent, directory.created_);
    for (int attempt = 1;; ++attempt) {
      directory.path_ = parent / (attempt == 1 ? time : fmt::format("{}-{}", time, attempt));
      if (make_private_folder(directory.path_)) break;
    }
  } catch (const fs::filesystem_error& error) {
    refuse(parent, fmt::format("cannot be created: {}; name another with --out", error.code().message()));
  }
  directory.created_.push_back(directory.path_);
  return directory;
}

RunDirectory RunDirectory::create(const fs::path& wanted) {
  require_free(wanted);
  RunDirectory directory;
  directory.path_ = fs::absolute(wanted).lexically_normal();
  if (!directory.path_.has_filename()) directory.path_ = directory.path_.parent_path();
  try {
    make_folders(directory.path_.parent_path(), directory.created_);
    if (make_private_folder(directory.path_)) directory.created_.push_back(directory.path_);
  } catch (const fs::filesystem_error& error) {
    refuse(wanted, fmt::format("cannot be created: {}; name another with --out", error.code().message()));
  }
  return directory;
}

fs::path RunDirectory::join(const fs::path& wanted, const std::string& start) {
  fs::path directory = fs::absolute(wanted).lexically_normal();
  const auto deadline = std::chrono::steady_clock::now() + kJoinLimit;
  while (read_file(directory / kStartFile) != start) {
    if (std::chrono::steady_clock::now() > deadline)
      refuse(directory, fmt::format("did not appear within {} seconds: rank 0 could not create it, or --out "
                                    "is not a folder that all ranks share",
                                    kJoinLimit.count()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return directory;
}

bool RunDirectory::has_rank(const fs::path& directory) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, ignored)) {
    if (entry.path().filename().string().starts_with("rank")) return true;
  }
  return false;
}

RunDirectory::RunDirectory(RunDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      created_(std::exchange(other.created_, {})),
      kept_(std::exchange(other.kept_, true)) {}

RunDirectory::~RunDirectory() {
  if (kept_) return;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, ignored)) {
    fs::remove_all(entry.path(), ignored);
  }
  // Only removes empty folders: another run may have been created in the same place.
  for (auto folder = created_.rbegin(); folder != created_.rend(); ++folder) fs::remove(*folder, ignored);
}

void RunDirectory::write_file(const std::string& name, const std::string& text) const {
  write_whole_file(path_ / name, text);
}

std::string RunDirectory::removal_of(const fs::path& directory) {
  std::error_code ignored;
  if (fs::is_directory(directory, ignored)) return {};
  return fmt::format("the run's folder {} was removed while the program ran, and with it the whole recording",
                     directory.string());
}

void write_whole_file(const fs::path& file, const std::string& text) {
  fs::path part = file;
  part += ".part";
  // Left by a killed process; or a link, in an untrusted folder, which must not be followed.
  ::unlink(part.c_str());
  std::FILE* const out = std::fopen(part.c_str(), "wxe");
  int error = out == nullptr ? errno : 0;
  if (out != nullptr && std::fwrite(text.data(), 1, text.size(), out) != text.size()) error = errno;
  if (out != nullptr && std::fclose(out) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(part.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (out != nullptr) ::unlink(part.c_str());
  throw std::runtime_error(fmt::format("cannot write {}: {}", file.string(), std::strerror(error)));
}

}  // namespace strata::cli
