// SPDX-License-Identifier: Apache-2.0
// Which libcupti a process records with. There may be several copies of it in a machine, and even in one
// process: a framework's own comes first, since whoever loads a second one records with neither.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sources/cupti/subscription/functions.hpp"

namespace strata::cupti {

struct Library {
  void* handle = nullptr;  // of dlopen; never closed
  Functions functions;
  std::string path;
  std::uint32_t version = 0;  // 130001: 13.0, update 1
  bool is_dry = false;        // the dry GPU's, whose times are modelled
};

// The copy that is loaded already, else the one that the dynamic linker finds; `file`, where it is not empty,
// instead of either. Throws std::runtime_error with what was looked for and what to do.
Library open_library(const std::string& file);

// The files of all copies that are mapped now.
std::vector<std::string> mapped_libraries();

}  // namespace strata::cupti
