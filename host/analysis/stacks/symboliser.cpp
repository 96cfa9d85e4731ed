// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/symboliser.hpp"

#include "host/analysis/stacks/function_name.hpp"
#include "host/analysis/stacks/library_file.hpp"

namespace strata::analysis {

Symboliser::Symboliser(const std::vector<LoadedLibrary>& libraries) : libraries_(libraries) {}
Symboliser::~Symboliser() = default;

const std::vector<Frame>& Symboliser::frames_at(std::uint64_t return_address) {
  const auto [found, is_new] = frames_.try_emplace(return_address);
  if (is_new) found->second = look_up(return_address);
  return found->second;
}

const LoadedLibrary* Symboliser::library_at(std::uint64_t address) const {
  const LoadedLibrary* found = nullptr;
  for (const LoadedLibrary& library : libraries_) {
    if (address < library.begin || address >= library.end) continue;
    if (found != nullptr) return nullptr;
    found = &library;
  }
  return found;
}

const LibraryFile& Symboliser::file_of(const LoadedLibrary& library) {
  std::unique_ptr<LibraryFile>& file = files_[&library];
  if (!file) {
    file = std::make_unique<LibraryFile>(library);
    if (!file->problem().empty()) warnings_.push_back(file->problem());
  }
  return *file;
}

std::vector<Frame> Symboliser::look_up(std::uint64_t return_address) {
  // The call itself: the address after it may be another line's, or another function's.
  const std::uint64_t call = return_address == 0 ? 0 : return_address - 1;
  const LoadedLibrary* const library = library_at(call);
  if (library == nullptr) {
    Frame unknown;
    unknown.offset = call;
    return {unknown};
  }
  const std::uint64_t offset = call - library->base;
  std::vector<Frame> frames;
  for (const SourcePlace& place : file_of(*library).places_at(offset)) {
    frames.push_back({.function = demangled(place.function),
                      .file = place.file,
                      .line = place.line,
                      .library = library->path,
                      .offset = offset,
                      .inlined = place.inlined});
  }
  return frames;
}

}  // namespace strata::analysis
