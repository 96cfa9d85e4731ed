// SPDX-License-Identifier: Apache-2.0
// The stacks of a run as they were recorded: addresses, and the files that were mapped where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

struct LoadedLibrary {
  std::string path;
  std::string build_id;          // in hexadecimal; empty: its linker gave it none
  std::int64_t modified_ns = 0;  // the file, since 1970; 0: there is none (the kernel's own object)
  std::uint64_t base = 0;        // address in memory less address in the file's own terms
  std::uint64_t begin = 0, end = 0;
};

// A line of the program that was at work.
struct PythonFrame {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
};

struct TakenStack {
  std::uint64_t sequence = 0;  // of the event
  std::uint32_t stack = 0;     // index into CallStacks::addresses
  double chance = 1.0;         // that an allocation of its size had to get one, in (0, 1]
};

struct CallStacks {
  // Of each stack the return addresses, innermost first: a call ends one byte before.
  std::vector<std::vector<std::uint64_t>> addresses;
  // By the same index, which of `python` lies around them.
  // A stack of addresses that was met under two of them is there twice.
  static constexpr std::uint32_t kNoPython = UINT32_MAX;
  std::vector<std::uint32_t> python_of;          // shorter, or kNoPython: there are none
  std::vector<std::vector<PythonFrame>> python;  // innermost first
  std::vector<TakenStack> taken;                 // by sequence, one for each event at most
  std::vector<LoadedLibrary> libraries;

  bool empty() const { return taken.empty(); }
  // Innermost first; empty: none.
  const std::vector<PythonFrame>& python_frames(std::uint32_t stack) const;
  // The stack of the event of that sequence; null: it got none.
  const TakenStack* at(std::uint64_t sequence) const;
};

}  // namespace strata::analysis
