// SPDX-License-Identifier: Apache-2.0
// The session's own sections of manifest.json (docs/manifest.md).
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/runtime/machine.hpp"
#include "host/runtime/recording/artifact.hpp"
#include "host/runtime/store/store.hpp"
#include "strata/runtime/options.hpp"
#include "strata/runtime/session.hpp"

namespace strata {

// The process's number in the recording: its pid, unless the options have another number.
std::uint32_t process_number(const SessionOptions& options) noexcept;

// "done", "failed", "interrupted", "out_of_memory", "exited": used in the manifest and in the store's `meta`.
std::string_view end_name(RunEnd end) noexcept;

// "2026-01-31T09:30:00.250Z", from nanoseconds since 1970.
std::string iso_time(std::int64_t realtime_ns);

nlohmann::ordered_json strata_section();
nlohmann::ordered_json process_section(const SessionOptions& options);
nlohmann::ordered_json host_section(const Machine& machine);
nlohmann::ordered_json window_section(const Window& window);
// Plugins or sources only; `statuses` contains both.
nlohmann::ordered_json plugin_section(const std::vector<PluginStatus>& statuses, bool sources);
nlohmann::ordered_json store_section(const Store& store);
nlohmann::ordered_json artifact_section(const std::vector<ArtifactEntry>& artifacts);

}  // namespace strata
