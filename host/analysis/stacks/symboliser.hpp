// SPDX-License-Identifier: Apache-2.0
// From addresses to functions, after the run and for those that somebody asks about: each file is opened at
// the first address that lies in it, and each address is looked up once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/analysis/facts/call_stacks.hpp"

namespace strata::analysis {

struct Frame {
  std::string function;      // demangled; empty: unknown
  std::string file;          // of the source; empty: unknown
  std::uint32_t line = 0;    // 0: unknown
  std::string library;       // path of the file that holds it; empty: unknown
  std::uint64_t offset = 0;  // of the call in the library's own terms; of the process without a library
  bool inlined = false;      // into the frame around it
  bool python = false;       // of the Python program: it has no library
};

class LibraryFile;

class Symboliser {
 public:
  // `libraries` must outlive this.
  explicit Symboliser(const std::vector<LoadedLibrary>& libraries);
  ~Symboliser();
  Symboliser(const Symboliser&) = delete;
  Symboliser& operator=(const Symboliser&) = delete;

  // The frames of one return address, innermost first: one, and before it those inlined into it. Valid as
  // long as this object. A file that is not the one that ran gives no names.
  const std::vector<Frame>& frames_at(std::uint64_t return_address);

  // Which files could not be asked, and why, one sentence a file, in the order in which they were met.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<Frame> look_up(std::uint64_t return_address);
  // Null: no library held the address, or two did in turn.
  const LoadedLibrary* library_at(std::uint64_t address) const;
  const LibraryFile& file_of(const LoadedLibrary& library);

  const std::vector<LoadedLibrary>& libraries_;
  std::unordered_map<const LoadedLibrary*, std::unique_ptr<LibraryFile>> files_;
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;
  std::vector<std::string> warnings_;
};

}  // namespace strata::analysis
