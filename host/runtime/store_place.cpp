#include "host/runtime/store_place.hpp"

#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace strata {
namespace {

// statfs(2) f_type, as the kernel and the vendors' drivers report them.
constexpr std::array<std::uint32_t, 13> kNetworkFileSystems = {
    0x00006969,  // NFS
    0x0000517b,  // SMB
    0xff534d42,  // CIFS
    0xfe534d42,  // SMB2
    0x0bd00bd0,  // Lustre
    0x65735546,  // FUSE
    0x47504653,  // GPFS
    0x00c36400,  // Ceph
    0x5346414f,  // AFS
    0x01021997,  // 9p
    0x19830326,  // BeeGFS
    0x786f4256,  // VirtualBox's shared folders
    0x0000564c,  // NCP
};

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::filesystem::path make_local_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "strata-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
  return name;
}

}  // namespace

bool is_network_file_system(const std::filesystem::path& folder) {
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0) return false;
  const auto type = static_cast<std::uint32_t>(status.f_type);
  return std::find(kNetworkFileSystems.begin(), kNetworkFileSystems.end(), type) != kNetworkFileSystems.end();
}

StorePlace::StorePlace(std::filesystem::path rank_folder, std::filesystem::path folder, std::uint32_t pid)
    : rank_folder_(std::move(rank_folder)), folder_(std::move(folder)), pid_(std::to_string(pid)) {}

StorePlace StorePlace::create(const std::filesystem::path& rank_folder, std::uint32_t pid, bool elsewhere) {
  std::filesystem::create_directories(rank_folder);
  StorePlace place(rank_folder, elsewhere ? make_local_folder() : rank_folder, pid);
  if (std::filesystem::exists(place.final_database())) {
    throw std::runtime_error(
        "run store " + place.final_database().string() +
        " is there already, of an earlier process with this id; choose another run directory");
  }
  if (elsewhere) {
    std::ofstream note(place.in_rank_folder(".local"));
    note << host_name() << '\n' << place.folder_.string() << '\n';
    if (!note.flush()) throw std::runtime_error("cannot write " + place.in_rank_folder(".local").string());
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
  return StorePlace(rank_folder, folder, pid);
}

void StorePlace::settle() const {
  std::filesystem::remove_all(spool_folder());
  if (folder_ == rank_folder_) return;
  const std::filesystem::path arriving = in_rank_folder(".sqlite.part");
  std::filesystem::copy_file(database(), arriving, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::rename(arriving, final_database());
  std::filesystem::remove(in_rank_folder(".local"));
  // Not remove_all: the folder is what a file said it is.
  std::filesystem::remove(database());
  std::error_code kept_for_others;
  std::filesystem::remove(folder_, kept_for_others);
}

}  // namespace strata
