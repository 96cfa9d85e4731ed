// SPDX-License-Identifier: Apache-2.0
#include "host/cli/exec/program_environment.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/cli/part_library.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/usage_error.hpp"
#include "host/config/schema/compute_device.hpp"
#include "strata/runtime/file_system.hpp"

namespace strata::cli {
namespace {

// Whether a program can run with a replacement for CUDA.

// A 64-bit ELF file. Parts outside of the file count as missing.
class ElfFile {
 public:
  explicit ElfFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    const auto header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64)
      return;
    for (std::uint64_t index = 0; index < header->e_shnum; ++index) {
      if (const auto section = at<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr)))
        sections_.push_back(*section);
    }
    if (header->e_shstrndx < sections_.size()) names_ = sections_[header->e_shstrndx].sh_offset;
  }

  bool has_section(std::string_view name) const {
    for (const Elf64_Shdr& section : sections_) {
      if (text(names_ + section.sh_name) == name) return true;
    }
    return false;
  }

  // Whether it asks another library for that function.
  bool imports(std::string_view function) const {
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections_.size()) continue;
      const std::uint64_t texts = sections_[section.sh_link].sh_offset;
      for (std::uint64_t offset = 0; offset < section.sh_size; offset += sizeof(Elf64_Sym)) {
        const auto symbol = at<Elf64_Sym>(section.sh_offset + offset);
        if (symbol && symbol->st_shndx == SHN_UNDEF && text(texts + symbol->st_name) == function) return true;
      }
    }
    return false;
  }

 private:
  template <typename Record>
  std::optional<Record> at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(Record)) return std::nullopt;
    Record record;
    std::memcpy(&record, bytes_.data() + offset, sizeof record);
    return record;
  }

  std::string_view text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = std::string_view(bytes_).substr(offset);
    return rest.substr(0, rest.find('\0'));
  }

  std::string bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::uint64_t names_ = 0;
};

// Why the dry GPU cannot replace CUDA in that program. Empty if there is no obstacle: it is not an ELF file
// (a script), or contains no CUDA runtime of its own. Libraries that it opens are not examined.
std::string why_not_dry(const std::filesystem::path& program) {
  const ElfFile file(program);
  // Code from nvcc registers its kernels with the CUDA runtime; a program that does not import it contains
  // its own.
  if (!file.has_section(".nvFatBinSegment") || file.imports("__cudaRegisterFatBinary")) return {};
  return program.string() +
         " is linked statically with the CUDA runtime, which the dry GPU cannot replace. Link it with the "
         "shared runtime: nvcc --cudart shared, or CMake's CUDA_RUNTIME_LIBRARY Shared";
}

namespace fs = std::filesystem;

// Python runs its sitecustomize.py first. In a wheel it is inside the package that contains the program, else
// next to its libraries.
fs::path folder_at_start() {
  const fs::path within = "trial/at_start";
  const fs::path program = fs::read_symlink("/proc/self/exe");
  for (const fs::path& package :
       {part_library_path("python/strata_profiler"), program.parent_path().parent_path().parent_path()}) {
    if (fs::exists(package / within / "sitecustomize.py")) return package / within;
  }
  throw UsageError(
      "this installation lacks the Python package strata_profiler, which runs inside of Python programs; "
      "install it");
}

// Inductor keeps the times that its autotuners measured, by the card's name. Those of a dry card must not
// choose the kernels of a real one.
std::string inductor_cache() {
  const char* const own = std::getenv("TORCHINDUCTOR_CACHE_DIR");
  if (own != nullptr && *own != '\0') return (fs::path(own) / "strata-dry").string();
  return (scratch_place() / fmt::format("torchinductor_{}_strata-dry", getuid())).string();
}

}  // namespace

void put_first(const char* variable, const std::string& first, Variables& variables) {
  const char* const own = std::getenv(variable);
  variables[variable] = own == nullptr || *own == '\0' ? first : first + ":" + own;
}

void add_preloaded(const std::vector<fs::path>& libraries, Variables& variables) {
  std::vector<std::string> names;
  names.reserve(libraries.size());
  for (const fs::path& library : libraries) names.push_back(library.string());
  put_first("LD_PRELOAD", fmt::format("{}", fmt::join(names, ":")), variables);
}

void add_python_part(Variables& variables) {
  put_first("PYTHONPATH", folder_at_start().string(), variables);
}

DryChoice dry_choice_for(const std::string& device, const std::string& program) {
  require_dry_gpu();
  DryChoice choice = dry_choice(config::parse_device(device, fs::current_path()));
  if (const std::string reason = why_not_dry(program); !reason.empty()) throw UsageError(reason);
  return choice;
}

void add_dry_gpu(const DryChoice& choice, const fs::path& scratch, Variables& variables,
                 std::vector<fs::path>& preloaded) {
  write_whole_file(scratch / "profile", dry_choice_text(choice));
  variables["STRATA_DRY_GPU"] = (scratch / "profile").string();
  variables["STRATA_DRY_GPU_ACCOUNTS"] = scratch.string();
  variables["TORCHINDUCTOR_CACHE_DIR"] = inductor_cache();
  // libcuda.so.1 is looked for as a file by those who compile kernels.
  put_first("LD_LIBRARY_PATH", dry_gpu_folder().string(), variables);
  // Libraries that are there already are what torch's own search path would have found.
  std::ranges::copy(dry_gpu_facades(), std::back_inserter(preloaded));
}

}  // namespace strata::cli
