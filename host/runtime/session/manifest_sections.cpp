// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/session/manifest_sections.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "strata/version.h"

namespace strata {

using nlohmann::ordered_json;

std::uint32_t process_number(const SessionOptions& options) noexcept {
  return options.process != 0 ? options.process : static_cast<std::uint32_t>(getpid());
}

std::string_view end_name(RunEnd end) noexcept {
  switch (end) {
    case RunEnd::kDone:
      return "done";
    case RunEnd::kFailed:
      return "failed";
    case RunEnd::kInterrupted:
      return "interrupted";
    case RunEnd::kOutOfMemory:
      return "out_of_memory";
    case RunEnd::kExited:
      return "exited";
  }
  return "failed";
}

std::string iso_time(std::int64_t realtime_ns) {
  const std::chrono::nanoseconds since_1970(realtime_ns);
  const auto whole = std::chrono::floor<std::chrono::seconds>(since_1970);
  const auto rest = std::chrono::floor<std::chrono::milliseconds>(since_1970 - whole);
  return fmt::format("{:%FT%T}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(whole.count())), rest.count());
}

ordered_json strata_section() {
  return {{"version", STRATA_VERSION},
          {"plugin_abi", fmt::format("{}.{}", STRATA_ABI_MAJOR, STRATA_ABI_MINOR)}};
}

ordered_json process_section(const SessionOptions& options) {
  return {{"pid", process_number(options)}, {"rank", options.rank}, {"world_size", options.world_size}};
}

ordered_json host_section(const Machine& machine) {
  return {{"hostname", machine.hostname},
          {"system", machine.system},
          {"kernel", machine.kernel},
          {"processor", machine.processor},
          {"logical_processors", machine.logical_processors},
          {"memory_bytes", machine.memory_bytes},
          {"boot_id", machine.boot_id}};
}

ordered_json window_section(const Window& window) {
  return {{"first_step", window.first_step}, {"last_step", window.last_step}};
}

ordered_json plugin_section(const std::vector<PluginStatus>& statuses, bool sources) {
  ordered_json section = ordered_json::array();
  for (const PluginStatus& plugin : statuses) {
    if (plugin.source != sources) continue;
    section.push_back({{"id", plugin.id},
                       {"version", plugin.version},
                       {"path", plugin.path},
                       {"status", plugin.status},
                       {"reason", plugin.reason},
                       {"faults", plugin.faults}});
  }
  return section;
}

ordered_json store_section(const Store& store) {
  return {{"dropped_rows", store.drops()}, {"problems", store.problems()}, {"lost", store.lost()}};
}

ordered_json artifact_section(const std::vector<ArtifactEntry>& artifacts) {
  ordered_json section = ordered_json::array();
  for (const ArtifactEntry& artifact : artifacts) {
    section.push_back({{"plugin", artifact.plugin},
                       {"file", artifact.file},
                       {"media_type", artifact.media_type},
                       {"bytes", artifact.bytes}});
  }
  return section;
}

}  // namespace strata
