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

alignas(Account) std::byte own_memory[sizeof(Account)];

// Memory of a new file in that folder; null, with a message, where there can be none.
void* map_file(const char* folder) noexcept {
  const std::string path = std::string(folder) + "/" + std::to_string(getpid()) + ".account";
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  void* memory = MAP_FAILED;
  if (file >= 0 && ftruncate(file, sizeof(Account)) == 0) {
    memory = mmap(nullptr, sizeof(Account), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  const int error = errno;
  if (file >= 0) close(file);
  if (memory != MAP_FAILED) return memory;
  say(path.c_str(),
      (std::string("cannot be made, so nobody hears of what was not done here: ") + std::strerror(error))
          .c_str());
  return nullptr;
}

Account* make_account() noexcept {
  const char* const folder = secure_getenv("STRATA_DRY_GPU_ACCOUNTS");
  void* memory = folder == nullptr || *folder == '\0' ? nullptr : map_file(folder);
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

}  // namespace strata::dry_gpu
