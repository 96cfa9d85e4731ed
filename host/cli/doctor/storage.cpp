#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "host/cli/doctor/check.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLittleSpace = std::uintmax_t{2} << 30;

struct FileSystem {
  std::uint32_t magic;
  const char* name;
  bool network;
};

// linux/magic.h does not name them all.
constexpr std::array kFileSystems{FileSystem{EXT4_SUPER_MAGIC, "ext2, ext3 or ext4", false},
                                  FileSystem{0x58465342, "xfs", false},
                                  FileSystem{BTRFS_SUPER_MAGIC, "btrfs", false},
                                  FileSystem{OVERLAYFS_SUPER_MAGIC, "overlay", false},
                                  FileSystem{TMPFS_MAGIC, "tmpfs", false},
                                  FileSystem{0x2FC12FC1, "zfs", false},
                                  FileSystem{NFS_SUPER_MAGIC, "nfs", true},
                                  FileSystem{SMB_SUPER_MAGIC, "smb", true},
                                  FileSystem{0xFF534D42, "cifs", true},
                                  FileSystem{0xFE534D42, "smb2", true},
                                  FileSystem{FUSE_SUPER_MAGIC, "fuse", true},
                                  FileSystem{0x0BD00BD0, "lustre", true},
                                  FileSystem{V9FS_MAGIC, "9p", true},
                                  FileSystem{CEPH_SUPER_MAGIC, "ceph", true}};

Finding check_file_system(const fs::path& folder) {
  Finding finding{.name = "file system of runs"};
  struct statfs information {};
  if (statfs(folder.c_str(), &information) != 0) {
    finding.verdict = Verdict::kWarning;
    finding.detail = fmt::format("unknown: {}", std::strerror(errno));
    return finding;
  }
  const auto magic = static_cast<std::uint32_t>(information.f_type);
  const auto known = std::ranges::find(kFileSystems, magic, &FileSystem::magic);
  finding.detail = known == kFileSystems.end() ? fmt::format("type {:#x}", magic) : known->name;
  if (known != kFileSystems.end() && known->network) {
    finding.verdict = Verdict::kWarning;
    finding.remedy = "a run store works best on a local disk: run with --out there";
  }
  return finding;
}

Finding check_space(const fs::path& folder) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error) {
    return {.name = "free disk space", .verdict = Verdict::kWarning, .detail = error.message()};
  }
  Finding finding{.name = "free disk space", .detail = fmt::format("{} MiB", space.available >> 20)};
  if (space.available < kLittleSpace) {
    finding.verdict = Verdict::kWarning;
    finding.remedy = "make room, or run with --out on another disk";
  }
  return finding;
}

}  // namespace

Findings check_storage(const fs::path& folder) {
  std::error_code ignored;
  fs::path existing = fs::absolute(folder, ignored);
  while (!fs::exists(existing, ignored) && existing.has_relative_path()) existing = existing.parent_path();
  Finding writable{
      .name = "folder of runs", .detail = fs::absolute(folder, ignored).string(), .needed = true};
  if (!fs::is_directory(existing, ignored) || access(existing.c_str(), W_OK | X_OK) != 0) {
    writable.verdict = Verdict::kMissing;
    writable.detail += fmt::format(": cannot write in {}", existing.string());
    writable.remedy = "run in a folder of yours, or with --out";
  }
  return {writable, check_file_system(existing), check_space(existing)};
}

}  // namespace strata::cli
