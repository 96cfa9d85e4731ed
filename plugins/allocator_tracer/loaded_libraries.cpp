// SPDX-License-Identifier: Apache-2.0
#include "plugins/allocator_tracer/loaded_libraries.hpp"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace strata::allocator_tracer {
namespace {

std::string hexadecimal(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

// From the notes that the loader mapped with the library.
std::string build_id_in(std::span<const unsigned char> notes) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name = sizeof note;
    const std::size_t description = name + padded(note.n_namesz);
    const std::size_t next = description + padded(note.n_descsz);
    if (next > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof ELF_NOTE_GNU &&
        std::memcmp(&notes[name], ELF_NOTE_GNU, sizeof ELF_NOTE_GNU) == 0)
      return hexadecimal(notes.subspan(description, note.n_descsz));
    notes = notes.subspan(next);
  }
  return {};
}

// Without what only the file system knows.
LoadedLibrary described(const dl_phdr_info& info) {
  LoadedLibrary library;
  library.path = info.dlpi_name;
  library.base = info.dlpi_addr;
  library.begin = UINT64_MAX;
  for (const ElfW(Phdr) & header : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
    const std::uint64_t begin = info.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD) {
      library.begin = std::min(library.begin, begin);
      library.end = std::max(library.end, begin + header.p_memsz);
    } else if (header.p_type == PT_NOTE && library.build_id.empty()) {
      library.build_id =
          // NOLINTNEXTLINE(performance-no-int-to-ptr)
          build_id_in({reinterpret_cast<const unsigned char*>(begin), std::size_t{header.p_memsz}});
    }
  }
  return library;
}

struct Visit {
  unsigned long long loads_seen;
  unsigned long long loads;
  std::vector<LoadedLibrary> libraries;
};

int visit(dl_phdr_info* info, std::size_t, void* argument) {
  auto& found = *static_cast<Visit*>(argument);
  found.loads = info->dlpi_adds;
  if (found.loads == found.loads_seen) return 1;
  found.libraries.push_back(described(*info));
  return 0;
}

// The program itself comes without a name; the kernel's own object has one, and no file.
void find_file(LoadedLibrary& library) {
  if (library.path.empty()) library.path = "/proc/self/exe";
  std::array<char, PATH_MAX> resolved;
  if (realpath(library.path.c_str(), resolved.data()) == nullptr) return;
  library.path = resolved.data();
  struct stat file;
  if (stat(resolved.data(), &file) == 0)
    library.modified_ns = std::int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec;
}

}  // namespace

std::vector<LoadedLibrary> LoadedLibraries::take_new() {
  const std::lock_guard lock(mutex_);
  Visit now{.loads_seen = loads_seen_, .loads = 0, .libraries = {}};
  dl_iterate_phdr(&visit, &now);
  loads_seen_ = now.loads;

  std::erase_if(now.libraries, [&](const LoadedLibrary& library) {
    return std::any_of(given_.begin(), given_.end(), [&](const LoadedLibrary& given) {
      return given.begin == library.begin && given.end == library.end && given.build_id == library.build_id;
    });
  });
  if (now.libraries.empty()) return {};
  for (LoadedLibrary& library : now.libraries) find_file(library);

  given_.insert(given_.end(), now.libraries.begin(), now.libraries.end());
  auto extents = std::make_unique<Extents>();
  for (const LoadedLibrary& library : given_) extents->push_back({library.begin, library.end});
  std::sort(extents->begin(), extents->end(),
            [](const Extent& left, const Extent& right) { return left.begin < right.begin; });
  extents_.store(extents.get(), std::memory_order_release);
  all_extents_.push_back(std::move(extents));
  return now.libraries;
}

bool LoadedLibraries::knows(std::uint64_t address) const noexcept {
  const Extents* const extents = extents_.load(std::memory_order_acquire);
  if (extents == nullptr) return false;
  const auto after =
      std::upper_bound(extents->begin(), extents->end(), address,
                       [](std::uint64_t wanted, const Extent& extent) { return wanted < extent.begin; });
  return after != extents->begin() && address < std::prev(after)->end;
}

}  // namespace strata::allocator_tracer
