// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/account/account.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>

#include "dry_gpu/device/account/messages.hpp"

namespace strata::dry_gpu {
namespace {

// Page-aligned, so that a file can replace it.
alignas(4096) std::byte own_memory[(sizeof(Account) + 4095) / 4096 * 4096];

// Memory of a new file in that folder, which holds `content`; null, with a message, where there can be none.
// `place`: where it is mapped; null: anywhere.
void* map_file(const char* folder, const void* content, void* place) noexcept {
  const std::string path = std::string(folder) + "/" + std::to_string(getpid()) + ".account";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0 && pwrite(file, content, sizeof(Account), 0) == sizeof(Account)) {
    memory = mmap(place, sizeof(Account), PROT_READ | PROT_WRITE,
                  MAP_SHARED | (place == nullptr ? 0 : MAP_FIXED), file, 0);
  }
  const int error = errno;
  if (file >= 0) close(file);
  if (memory != MAP_FAILED) return memory;
  say(path.c_str(),
      (std::string("cannot be created, so operations that were not computed are not reported: ") +
       std::strerror(error))
          .c_str());
  return nullptr;
}

// The folder that the environment names; null: none.
const char* folder_of_accounts() noexcept {
  const char* const folder = secure_getenv("STRATA_DRY_GPU_ACCOUNTS");
  return folder == nullptr || *folder == '\0' ? nullptr : folder;
}

Account* make_account() noexcept {
  const Account empty{};
  const char* const folder = folder_of_accounts();
  void* memory = folder == nullptr ? nullptr : map_file(folder, &empty, nullptr);
  if (memory == nullptr) memory = own_memory;
  Account* const made = new (memory) Account{};
  std::memcpy(made->kind.data(), STRATA_DRY_GPU_ACCOUNT, sizeof STRATA_DRY_GPU_ACCOUNT);
  return made;
}

}  // namespace

Account& account() noexcept {
  static Account* const only = make_account();
  return *only;
}

void move_account() noexcept {
  Account& old = account();
  if (const char* const folder = folder_of_accounts()) map_file(folder, &old, &old);
}

}  // namespace strata::dry_gpu
