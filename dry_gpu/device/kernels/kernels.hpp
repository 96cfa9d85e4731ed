// SPDX-License-Identifier: Apache-2.0
// The kernels of a program: registered by the static initialisers of its libraries (which run before any
// profile is known), or found in modules that it loaded.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dry_gpu/device/memory/address_space.hpp"

// A kernel of a loaded module, or one identified by its host function.
struct CUfunc_st {
  std::string name;  // mangled
};

struct CUmod_st {
  std::mutex mutex;
  std::unordered_map<std::string, CUfunc_st> functions;
};

namespace strata::dry_gpu {

// [any thread]
class Kernels {
 public:
  // `name` and `fat_binary` are not copied: they are in the registering library.
  void add(const void* host_function, const char* name, const void* fat_binary);
  void add_variable(const void* host_variable, const char* name, std::uint64_t bytes);

  struct Kernel {
    const char* name;        // mangled
    const void* fat_binary;  // contains its code (fat_binary.hpp)
  };
  std::optional<Kernel> kernel(const void* host_function);
  struct Variable {
    const char* name;
    std::uint64_t bytes;
  };
  std::optional<Variable> variable(const void* host_variable);

 private:
  // Tens of thousands are registered while a program loads, and most are never looked up: they are sorted at
  // the first look-up.
  std::mutex mutex_;
  std::vector<std::pair<const void*, Kernel>> added_;
  std::unordered_map<const void*, Kernel> kernels_;
  std::unordered_map<const void*, Variable> variables_;
};

// One per process, created at its first use and never destroyed.
Kernels& kernels();

}  // namespace strata::dry_gpu
