// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cudnn/real/library_file.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string_view>
#include <vector>

namespace strata::dry_gpu::real_cudnn {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLibrary = "libcudnn.so.9";

// Whether the loaded object needs cuDNN. Its dynamic section is in memory, with addresses in place of the
// file's offsets.
bool needs_cudnn(const dl_phdr_info& object) {
  for (int index = 0; index < object.dlpi_phnum; ++index) {
    const ElfW(Phdr)& header = object.dlpi_phdr[index];
    if (header.p_type != PT_DYNAMIC) continue;
    const auto* const first = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + header.p_vaddr);
    const char* texts = nullptr;
    for (const auto* entry = first; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    // The loader leaves offsets in an object that it does not write to, as the kernel's own.
    if (texts == nullptr || reinterpret_cast<ElfW(Addr)>(texts) < object.dlpi_addr) return false;
    for (const auto* entry = first; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == DT_NEEDED && texts + entry->d_un.d_val == kLibrary) return true;
  }
  return false;
}

std::vector<std::string> objects_that_need_cudnn() {
  std::vector<std::string> names;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* list) {
        if (object->dlpi_name != nullptr && *object->dlpi_name == '/' && needs_cudnn(*object))
          static_cast<std::vector<std::string>*>(list)->emplace_back(object->dlpi_name);
        return 0;
      },
      &names);
  return names;
}

// The folders in which the loader searches the libraries needed by that object, in order.
std::vector<fs::path> search_path_of(const std::string& object) {
  std::vector<fs::path> folders;
  void* const handle = dlopen(object.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return folders;
  Dl_serinfo size{};
  if (dlinfo(handle, RTLD_DI_SERINFOSIZE, &size) == 0) {
    std::vector<std::max_align_t> room(size.dls_size / sizeof(std::max_align_t) + 1);
    auto* const found = reinterpret_cast<Dl_serinfo*>(room.data());
    if (dlinfo(handle, RTLD_DI_SERINFOSIZE, found) == 0 && dlinfo(handle, RTLD_DI_SERINFO, found) == 0) {
      const Dl_serpath* const first = found->dls_serpath;
      for (unsigned index = 0; index < found->dls_cnt; ++index) folders.emplace_back(first[index].dls_name);
    }
  }
  dlclose(handle);
  return folders;
}

}  // namespace

fs::path find_library() {
  if (const char* const named = secure_getenv("STRATA_CUDNN_LIBRARY"); named != nullptr && *named != '\0')
    return named;
  std::error_code error;
  for (const std::string& object : objects_that_need_cudnn()) {
    for (const fs::path& folder : search_path_of(object)) {
      const fs::path file = fs::canonical(folder / kLibrary, error);
      if (!error) return file;
    }
  }
  return {};
}

std::string identity_of(const fs::path& library) {
  struct stat found {};
  if (stat(library.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return {};
  return library.string() + '\n' + std::to_string(found.st_size) + ' ' +
         std::to_string(found.st_mtim.tv_sec) + '.' + std::to_string(found.st_mtim.tv_nsec);
}

}  // namespace strata::dry_gpu::real_cudnn
