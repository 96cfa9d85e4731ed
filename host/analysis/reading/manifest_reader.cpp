// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/manifest_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/analysis/recording/recording.hpp"

namespace strata::analysis {
namespace {

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t count_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// The elements of the list under the key; empty if there is none.
std::vector<nlohmann::json> objects_of(const nlohmann::json& object, const char* key) {
  std::vector<nlohmann::json> objects;
  const auto found = object.find(key);
  if (found == object.end() || !found->is_array()) return objects;
  std::ranges::copy_if(*found, std::back_inserter(objects),
                       [](const nlohmann::json& entry) { return entry.is_object(); });
  return objects;
}

// The program that started the process saw the signal that ended it; the process itself had no time to record
// it.
bool was_interrupted(const nlohmann::json& manifest) {
  const auto command = manifest.find("command");
  if (command == manifest.end() || !command->is_object()) return false;
  const std::uint64_t exit_code = count_of(*command, "exit_code");
  return exit_code == 128 + SIGINT || exit_code == 128 + SIGTERM;
}

DryFact dry_fact(const nlohmann::json& section) {
  const nlohmann::json none = nlohmann::json::object();
  const auto object = [&](const char* key) -> const nlohmann::json& {
    const auto found = section.find(key);
    return found != section.end() && found->is_object() ? *found : none;
  };
  DryFact dry;
  dry.profile = text_of(section, "profile");
  dry.name = text_of(section, "name");
  dry.compared = text_of(section, "compared");
  dry.devices = std::max<std::uint64_t>(count_of(section, "devices"), 1);
  dry.memory_bytes = count_of(section, "memory_bytes");
  dry.memory_is_given = section.contains("memory_given") && section["memory_given"] == true;
  dry.context_bytes_low = count_of(object("context_bytes"), "low");
  dry.context_bytes_high = count_of(object("context_bytes"), "high");
  dry.context_bytes_used = count_of(object("context_bytes"), "used");
  dry.context_bytes_init = object("context_bytes").contains("init")
                               ? count_of(object("context_bytes"), "init")
                               : dry.context_bytes_used;
  for (const nlohmann::json& entry : objects_of(section, "context_parts"))
    dry.context_parts.push_back(
        {text_of(entry, "part"), count_of(entry, "bytes"), count_of(entry, "after_calls")});
  dry.kernels_not_run = count_of(section, "kernels_not_run");
  dry.library_calls_not_computed = count_of(section, "library_calls_not_computed");
  dry.unknown_reads = count_of(object("unknown_reads"), "count");
  dry.unknown_read_bytes = count_of(object("unknown_reads"), "bytes");
  dry.unknown_times = count_of(section, "unknown_times");
  dry.workspaces = {.unknown = count_of(section, "unknown_workspaces"),
                    .asked = count_of(section, "asked_workspaces"),
                    .fitted = count_of(section, "fitted_workspaces"),
                    .bounded = count_of(section, "bounded_workspaces")};
  dry.communicators = count_of(section, "communicators");
  dry.communicator_bytes = count_of(object("communicator_bytes"), "used");
  if (const nlohmann::json& workspaces = object("workspace_bytes"); workspaces.is_object()) {
    const auto used = [&](const char* library) {
      const auto found = workspaces.find(library);
      return found != workspaces.end() && found->is_object() ? count_of(*found, "used") : 0;
    };
    dry.cudnn_workspace_bytes = used("cudnn");
    dry.cusolver_workspace_bytes = used("cusolver");
  }
  if (const nlohmann::json& clock = object("modelled_clock"); !clock.empty()) {
    dry.modelled_clock.emplace();
    for (const auto& [kind, sums] : clock.items()) {
      if (sums.is_object())
        dry.modelled_clock->push_back({kind, count_of(sums, "works"), count_of(sums, "ns")});
    }
  }
  dry.answered_reads = count_of(section, "answered_reads");
  dry.assumed_reads = count_of(section, "assumed_reads");
  for (const nlohmann::json& entry : objects_of(section, "unknown_reads_by")) {
    dry.unknown_reads_by.push_back({text_of(entry, "reader"), count_of(entry, "count"),
                                    count_of(entry, "bytes"), count_of(entry, "answered")});
  }
  for (const nlohmann::json& entry : objects_of(section, "refused"))
    dry.refused.push_back({text_of(entry, "function"), count_of(entry, "calls")});
  return dry;
}

bool flag_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

SnapshotFact snapshot_fact(const nlohmann::json& section) {
  SnapshotFact fact{.file = text_of(section, "file"),
                    .entries = count_of(section, "entries"),
                    .begin_sequence = count_of(section, "begin_sequence"),
                    .devices = count_of(section, "devices"),
                    .has_times = flag_of(section, "has_times"),
                    .has_stacks = flag_of(section, "has_stacks"),
                    .has_categories = flag_of(section, "has_categories"),
                    .was_stopped = flag_of(section, "was_stopped")};
  if (const auto held = section.find("held_at_first"); held != section.end() && held->is_object()) {
    fact.held_blocks = count_of(*held, "blocks");
    fact.held_bytes = count_of(*held, "allocated_bytes");
  }
  return fact;
}

}  // namespace

void read_manifest(const std::filesystem::path& manifest, Recording& run,
                   std::vector<std::string>& warnings) {
  std::ifstream file(manifest);
  if (!file) {
    warnings.push_back(fmt::format(
        "{}: does not exist, although a run writes it first, so the state of the plugins is unknown",
        manifest.string()));
    return;
  }
  const nlohmann::json json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) {
    warnings.push_back(
        fmt::format("{}: is not a JSON object, so the state of the plugins is unknown", manifest.string()));
    return;
  }
  if (const auto dry = json.find("dry"); dry != json.end() && dry->is_object()) run.dry = dry_fact(*dry);
  if (const auto snapshot = json.find("snapshot"); snapshot != json.end() && snapshot->is_object())
    run.snapshot = snapshot_fact(*snapshot);
  if (run.end == RunEnd::kKilled && was_interrupted(json)) run.end = RunEnd::kInterrupted;
  run.is_configured = json.contains("model");
  if (std::string unit = text_of(json, "unit"); !unit.empty()) run.unit = std::move(unit);
  if (const auto command = json.find("command"); command != json.end() && command->is_object())
    run.command = text_of(*command, "line");
  if (const auto faults = json.find("faults"); faults != json.end() && faults->is_object()) {
    for (const auto& [kind, count] : faults->items()) {
      if (count.is_number_unsigned()) run.faults.push_back({kind, count.get<std::uint64_t>()});
    }
  }
  if (const auto host = json.find("host"); host != json.end() && host->is_object()) {
    run.clock.hostname = text_of(*host, "hostname");
    run.clock.boot_id = text_of(*host, "boot_id");
  }
  if (const auto store = json.find("store"); store != json.end() && store->is_object())
    run.dropped_rows = count_of(*store, "dropped_rows");
  for (const char* section : {"sources", "plugins"}) {
    const auto list = json.find(section);
    if (list == json.end() || !list->is_array()) continue;
    for (const nlohmann::json& entry : *list) {
      if (!entry.is_object()) continue;
      run.plugins.push_back({text_of(entry, "id"), text_of(entry, "status"), text_of(entry, "reason"),
                             count_of(entry, "faults")});
    }
  }
}

std::optional<std::uint64_t> manifest_pid(const std::filesystem::path& manifest) {
  std::ifstream stream(manifest);
  const auto document = nlohmann::json::parse(stream, nullptr, false);
  if (!document.is_object() || !document.contains("process") || !document["process"].is_object())
    return std::nullopt;
  const std::uint64_t pid = count_of(document["process"], "pid");
  return pid == 0 ? std::nullopt : std::optional(pid);
}

std::optional<std::string> manifest_allocator_settings(const std::filesystem::path& manifest) {
  std::ifstream stream(manifest);
  const auto document = nlohmann::json::parse(stream, nullptr, false);
  if (!document.is_object() || !document.contains("allocator")) return std::nullopt;
  const auto& allocator = document["allocator"];
  if (!allocator.is_object() || !allocator.contains("settings") || !allocator["settings"].is_string())
    return std::nullopt;
  return allocator["settings"].get<std::string>();
}

}  // namespace strata::analysis
