// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/last_thread.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace strata {
namespace {

// See proc(5): the state follows the name, which is in parentheses and may contain any. The first thread
// stays a zombie until the process ends.
bool has_first_thread_ended() {
  std::ifstream stream("/proc/self/stat");
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.substr(name_end).starts_with(") Z");
}

}  // namespace

bool is_last_thread() noexcept {
  try {
    if (!has_first_thread_ended()) return false;
    const std::string first = std::to_string(getpid()), own = std::to_string(gettid());
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return std::all_of(begin(threads), end(threads), [&](const auto& thread) {
      return thread.path().filename() == first || thread.path().filename() == own;
    });
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace strata
