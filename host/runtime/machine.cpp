// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/machine.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string_view>
#include <thread>

namespace strata {
namespace {

// The rest of the first line of `path` that begins with `key`, after `separator`, trimmed.
std::string value_in(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(separator);
    if (!line.starts_with(key) || at == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    return first == std::string::npos ? std::string() : line.substr(first, last - first + 1);
  }
  return {};
}

}  // namespace

Machine this_machine() {
  Machine machine;
  if (utsname names{}; uname(&names) == 0) {
    machine.hostname = names.nodename;
    machine.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
  }
  machine.system = value_in("/etc/os-release", "PRETTY_NAME", '=');
  machine.processor = value_in("/proc/cpuinfo", "model name", ':');
  machine.logical_processors = std::thread::hardware_concurrency();
  std::ifstream("/proc/sys/kernel/random/boot_id") >> machine.boot_id;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    machine.memory_bytes = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
  return machine;
}

}  // namespace strata
