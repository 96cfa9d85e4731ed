// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::analysis {

// How a run ended. kOpen: it continues. kKilled: its process died without a word. kUnknown: the store has a
// word that this program does not know, or none.
enum class RunEnd : std::uint8_t {
  kUnknown,
  kOpen,
  kDone,
  kFailed,
  kInterrupted,
  kOutOfMemory,
  kExited,
  kKilled
};

// "done", "out_of_memory", as in stores and manifests.
std::string_view to_string(RunEnd end);
// kUnknown for another word.
RunEnd run_end_of(std::string_view word);

}  // namespace strata::analysis
