// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/store_place.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "host/runtime/private_file.hpp"
#include "strata/runtime/file_system.hpp"

namespace strata {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::filesystem::path make_local_folder() {
  std::string name = (scratch_place() / "strata-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
  return name;
}

// Stays when the folder is renamed, or mounted elsewhere.
ino_t identity_of(const std::filesystem::path& folder) {
  struct stat status {};
  if (stat(folder.c_str(), &status) != 0)
    throw std::system_error(errno, std::generic_category(), "stat " + folder.string());
  return status.st_ino;
}

}  // namespace

StorePlace::StorePlace(std::filesystem::path rank_folder, std::filesystem::path folder, std::uint32_t pid)
    : rank_folder_(std::move(rank_folder)), folder_(std::move(folder)), pid_(std::to_string(pid)) {}

StorePlace StorePlace::create(const std::filesystem::path& rank_folder, std::uint32_t pid, bool elsewhere) {
  std::filesystem::create_directories(rank_folder);
  StorePlace place(rank_folder, elsewhere ? make_local_folder() : rank_folder, pid);
  if (std::filesystem::exists(place.final_database())) {
    throw std::runtime_error(
        "run store " + place.final_database().string() +
        " already exists, from an earlier process with this id; choose another run directory");
  }
  if (elsewhere) {
    write_private_file(place.in_rank_folder(".local"),
                       fmt::format("{}\n{}\n", host_name(), place.folder_.string()));
    write_private_file(place.home_file(), std::to_string(identity_of(rank_folder)));
  }
  std::filesystem::create_directory(place.spool_folder());
  return place;
}

std::optional<StorePlace> StorePlace::find(const std::filesystem::path& rank_folder, std::uint32_t pid) {
  const StorePlace here(rank_folder, rank_folder, pid);
  std::ifstream note(here.in_rank_folder(".local"));
  if (!note) return here;
  std::string host;
  std::string folder;
  std::getline(note, host);
  std::getline(note, folder);
  if (host != host_name() || !std::filesystem::is_directory(folder)) return std::nullopt;
  StorePlace place(rank_folder, folder, pid);
  ino_t home = 0;
  if (!(std::ifstream(place.home_file()) >> home) || home != identity_of(rank_folder)) return std::nullopt;
  return place;
}

bool StorePlace::is_unsettled() const {
  return std::filesystem::exists(spool_folder()) || (is_elsewhere() && std::filesystem::exists(database()));
}

void StorePlace::settle() const {
  if (is_elsewhere()) move_home();
  std::filesystem::remove_all(spool_folder());
  std::error_code kept_for_others;
  if (is_elsewhere()) std::filesystem::remove(folder_, kept_for_others);
}

void StorePlace::move_home() const {
  const std::filesystem::path arriving = in_rank_folder(".sqlite.part");
  ::unlink(
      arriving.c_str());  // of a move that was interrupted; or a link, which is not to be written through
  std::filesystem::copy_file(database(), arriving, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::rename(arriving, final_database());
  std::filesystem::remove(in_rank_folder(".local"));
  std::filesystem::remove(database());
  std::filesystem::remove(home_file());
}

}  // namespace strata
