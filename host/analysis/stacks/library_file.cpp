// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/library_file.hpp"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace strata::analysis {
namespace {

std::string build_id_of(Elf* elf) {
  const void* bytes = nullptr;
  const ssize_t count = dwelf_elf_gnu_build_id(elf, &bytes);
  std::string text;
  for (ssize_t index = 0; index < count; ++index)
    text += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[index]);
  return text;
}

std::int64_t modified_ns(int descriptor) {
  struct stat file;
  if (fstat(descriptor, &file) != 0) return 0;
  return std::int64_t{file.st_mtim.tv_sec} * 1'000'000'000 + file.st_mtim.tv_nsec;
}

}  // namespace

LibraryFile::Descriptor::~Descriptor() {
  if (number >= 0) close(number);
}

void LibraryFile::EndElf::operator()(Elf* elf) const {
  elf_end(elf);
}

LibraryFile::LibraryFile(const LoadedLibrary& library) {
  problem_ = open(library);
  if (!elf_) return;
  symbols_.emplace(elf_.get());
  lines_.emplace(elf_.get());
}

std::string LibraryFile::open(const LoadedLibrary& library) {
  if (library.modified_ns == 0) return {};  // no file: the kernel's own object, for which no names are needed
  elf_version(EV_CURRENT);
  descriptor_.number = ::open(library.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_.number < 0)
    return fmt::format("{} cannot be opened ({}): its frames have no names", library.path,
                       std::strerror(errno));
  std::unique_ptr<Elf, EndElf> begun(elf_begin(descriptor_.number, ELF_C_READ_MMAP, nullptr));
  if (!begun || elf_kind(begun.get()) != ELF_K_ELF)
    return fmt::format("{} is no longer an ELF file: its frames have no names", library.path);
  const bool is_same = library.build_id.empty() ? modified_ns(descriptor_.number) == library.modified_ns
                                                : build_id_of(begun.get()) == library.build_id;
  if (!is_same)
    return fmt::format("{} has changed since the run ({}): its frames have no names", library.path,
                       library.build_id.empty() ? "it was modified" : "its build id differs");
  elf_ = std::move(begun);
  return {};
}

std::vector<SourcePlace> LibraryFile::places_at(std::uint64_t address) const {
  std::vector<SourcePlace> places;
  if (lines_) places = lines_->places_at(address);
  if (places.empty()) places.emplace_back();
  // The symbol's name is complete; debug information may have only its last part.
  if (symbols_) {
    if (const auto symbol = symbols_->function_at(address)) places.back().function = *symbol;
  }
  return places;
}

}  // namespace strata::analysis
