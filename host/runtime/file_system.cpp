// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/file_system.hpp"

#include <fmt/format.h>
#include <sys/vfs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

namespace strata {
namespace {

struct Known {
  std::uint32_t type;  // statfs(2) f_type, as the kernel and the vendors' drivers report it
  const char* name;
  bool network;
};

constexpr std::array kKnown{
    Known{0x0000ef53, "ext2, ext3 or ext4", false},
    Known{0x58465342, "xfs", false},
    Known{0x9123683e, "btrfs", false},
    Known{0x794c7630, "overlay", false},
    Known{0x01021994, "tmpfs", false},
    Known{0x2fc12fc1, "zfs", false},
    Known{0x00006969, "nfs", true},
    Known{0x0000517b, "smb", true},
    Known{0xff534d42, "cifs", true},
    Known{0xfe534d42, "smb2", true},
    Known{0x0bd00bd0, "lustre", true},
    Known{0x65735546, "fuse", true},
    Known{0x47504653, "gpfs", true},
    Known{0x00c36400, "ceph", true},
    Known{0x5346414f, "afs", true},
    Known{0x01021997, "9p", true},
    Known{0x19830326, "beegfs", true},
    Known{0x786f4256, "a shared folder of VirtualBox", true},
    Known{0x0000564c, "ncp", true},
};

}  // namespace

FileSystem file_system_of(const std::filesystem::path& folder) {
  struct statfs status {};
  if (statfs(folder.c_str(), &status) != 0)
    throw std::system_error(errno, std::generic_category(), "statfs " + folder.string());
  const auto type = static_cast<std::uint32_t>(status.f_type);
  const auto known =
      std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& one) { return one.type == type; });
  if (known == kKnown.end()) return {fmt::format("type {:#x}", type), false};
  return {known->name, known->network};
}

std::filesystem::path scratch_place() {
  std::error_code error;
  std::filesystem::path place = std::filesystem::temp_directory_path(error);
  return error ? std::filesystem::path("/tmp") : place;
}

}  // namespace strata
