// SPDX-License-Identifier: Apache-2.0
// Resolves addresses to functions after the run, on request: each file is opened at the first address in it,
// and each address is resolved once.
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
  std::string library;       // path of the file that contains it; empty: unknown
  std::uint64_t offset = 0;  // of the call, relative to the library; to the process without one
  bool inlined = false;      // into the enclosing frame
  bool python = false;       // of the Python program, without a library
};

class LibraryFile;

class Symboliser {
 public:
  // `libraries` must outlive this.
  explicit Symboliser(const std::vector<LoadedLibrary>& libraries);
  ~Symboliser();
  Symboliser(const Symboliser&) = delete;
  Symboliser& operator=(const Symboliser&) = delete;

  // The frames of one return address, innermost first: the function, preceded by those inlined into it. Valid
  // as long as this object. A file other than the one that ran gives no names.
  const std::vector<Frame>& frames_at(std::uint64_t return_address);

  // The files that could not be used, and why: one sentence each, in the order of their first use.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  std::vector<Frame> look_up(std::uint64_t return_address);
  // Null if no library contained the address, or two did at different times.
  const LoadedLibrary* library_at(std::uint64_t address) const;
  const LibraryFile& file_of(const LoadedLibrary& library);

  const std::vector<LoadedLibrary>& libraries_;
  std::unordered_map<const LoadedLibrary*, std::unique_ptr<LibraryFile>> files_;
  std::unordered_map<std::uint64_t, std::vector<Frame>> frames_;
  std::vector<std::string> warnings_;
};

}  // namespace strata::analysis
