// SPDX-License-Identifier: Apache-2.0
// Selects the libcupti to record with. A machine, and even a process, may have several copies. A framework's
// own comes first, because after loading a second one neither of them records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sources/cupti/api/functions.hpp"

namespace strata::cupti {

struct Library {
  void* handle = nullptr;  // from dlopen; never closed
  Functions functions;
  std::string path;
  std::uint32_t version = 0;  // 130001: 13.0, update 1
  bool is_dry = false;        // the simulated GPU's, with modelled times
};

// Opens `file` if it is not empty; else the copy that is already loaded, else the one found by the dynamic
// linker. Throws std::runtime_error with what was tried and what to do.
Library open_library(const std::string& file);

// The files of all copies that are currently mapped.
std::vector<std::string> mapped_libraries();

}  // namespace strata::cupti
