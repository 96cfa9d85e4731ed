// SPDX-License-Identifier: Apache-2.0
// The recorded stacks of a run: addresses, and the files that were mapped there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata::analysis {

struct LoadedLibrary {
  std::string path;
  std::string build_id;          // in hexadecimal; empty: written by no linker
  std::int64_t modified_ns = 0;  // of the file, since 1970; 0: no file (the kernel's own object)
  std::uint64_t base = 0;        // address in memory minus address in the file
  std::uint64_t begin = 0, end = 0;
};

// A line of the program that was running.
struct PythonFrame {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
};

struct TakenStack {
  std::uint64_t sequence = 0;  // of the event
  std::uint32_t stack = 0;     // index into CallStacks::addresses
  double chance = 1.0;         // probability that an allocation of its size got a stack, in (0, 1]
};

struct CallStacks {
  // For each stack its return addresses, innermost first: a call ends one byte before.
  std::vector<std::vector<std::uint64_t>> addresses;
  // With the same index: the entry of `python` that encloses the stack. A stack of addresses found under two
  // of them is listed twice.
  static constexpr std::uint32_t kNoPython = UINT32_MAX;
  std::vector<std::uint32_t> python_of;          // shorter, or kNoPython: none
  std::vector<std::vector<PythonFrame>> python;  // innermost first
  std::vector<TakenStack> taken;                 // by sequence, at most one for each event
  std::vector<LoadedLibrary> libraries;

  bool empty() const { return taken.empty(); }
  // Innermost first; empty: none.
  const std::vector<PythonFrame>& python_frames(std::uint32_t stack) const;
  // The stack of the event with that sequence; null if it has none.
  const TakenStack* at(std::uint64_t sequence) const;
};

}  // namespace strata::analysis
