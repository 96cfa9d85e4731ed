// SPDX-License-Identifier: Apache-2.0
#include "host/report/dry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/quantity.hpp"

namespace strata::report {

std::string device_text(const analysis::MemoryFacts& facts) {
  std::string device = facts.device.empty() ? "unknown" : facts.device;
  if (!facts.dry) return device;
  const char* const of_run = device.starts_with("cuda") ? "" : "the host's memory, of a run on ";
  return fmt::format("{}, {}a dry {}: nothing was computed, no time measured", device, of_run,
                     facts.dry->name.empty() ? facts.dry->profile : facts.dry->name);
}

std::string assumed_text(std::uint64_t assumed_reads) {
  if (assumed_reads == 0) return {};
  return fmt::format(", {} assumed: conditions such as `mask.all()` are met, masks are even",
                     counted(assumed_reads, "value", "values"));
}

std::string workspaces_text(const Unknowns& unknowns) {
  const analysis::WorkspaceCounts& counts = unknowns.workspaces;
  std::vector<std::string> origins;
  const auto add = [&](std::uint64_t count, std::string_view origin) {
    if (count > 0) origins.push_back(fmt::format("{} {}", thousands(count), origin));
  };
  add(counts.asked, "from cuDNN itself");
  add(counts.fitted, "from formulas fitted on an H200");
  add(counts.bounded, "from an upper bound");
  if (counts.unknown > 0) {
    std::vector<std::string> taken;
    if (!unknowns.cudnn_workspace.empty())
      taken.push_back(fmt::format("cuDNN's taken as {}", unknowns.cudnn_workspace));
    if (!unknowns.cusolver_workspace.empty())
      taken.push_back(fmt::format("cuSOLVER's taken as {}", unknowns.cusolver_workspace));
    taken.emplace_back(taken.empty() ? "taken as 0" : "others as 0");
    add(counts.unknown, fmt::format("unknown ({})", fmt::join(taken, ", ")));
  }
  return origins.empty() ? std::string() : fmt::format("; workspaces: {}", fmt::join(origins, ", "));
}

std::string unknowns_text(const Unknowns& unknowns) {
  std::string text;
  if (unknowns.times > 0)
    text += fmt::format(", {}", counted(unknowns.times, "unknown time", "unknown times"));
  if (unknowns.communicators > 0) {
    text += fmt::format(
        ", {} whose memory is {}", counted(unknowns.communicators, "NCCL communicator", "NCCL communicators"),
        unknowns.nccl_memory.empty() ? "not counted" : fmt::format("taken as {} each", unknowns.nccl_memory));
  }
  return text + workspaces_text(unknowns);
}

std::string readers_text(const std::vector<std::pair<std::string, std::uint64_t>>& readers) {
  // `item` and a copy hand values on to the program; what else reads one needs it for its result's size.
  constexpr std::string_view kItem = "aten::_local_scalar_dense";
  constexpr std::string_view kHandsOn[] = {kItem, "aten::copy_"};
  std::vector<std::string> all, sizing;
  bool are_items = false;
  for (const auto& [reader, count] : readers) {
    if (count == 0) continue;
    all.push_back(fmt::format("{} ({})", reader, thousands(count)));
    are_items = are_items || reader == kItem;
    if (reader.starts_with("aten::") && std::ranges::find(kHandsOn, reader) == std::end(kHandsOn))
      sizing.push_back(reader);
  }
  if (all.empty()) return {};
  std::string text = fmt::format("; unknown values were read by {}", fmt::join(all, ", "));
  if (are_items)
    text +=
        "; .item() of these is 0: code that decides by it (a line search, a check of convergence) may stop "
        "early, unless --answers FILE has the values";
  if (!sizing.empty())
    text += fmt::format("; the size of what {} returns was taken as 0, unless --answers FILE tells it",
                        fmt::join(sizing, " and "));
  return text;
}

std::string compared_text(const analysis::DryFact& dry) {
  if (dry.compared.empty()) return fmt::format("; no real {} has been compared with this profile", dry.name);
  return fmt::format("; a real {} was compared with this profile on {} (docs/parity.md)", dry.name,
                     dry.compared);
}

std::string dry_admissions(const analysis::DryFact& dry) {
  // Counts come from the process at its end, together with the card's name.
  if (dry.name.empty()) return "what was not run is not known: strata did not come to its end, or goes on";
  auto text = fmt::format("{} not run, {} not computed, {} of unknown values",
                          counted(dry.kernels_not_run, "kernel", "kernels"),
                          counted(dry.library_calls_not_computed, "library call", "library calls"),
                          counted(dry.unknown_reads, "read", "reads"));
  if (dry.answered_reads > 0)
    text += fmt::format(", {} answered by a file", counted(dry.answered_reads, "read", "reads"));
  text += assumed_text(dry.assumed_reads);
  const auto taken = [](std::uint64_t bytes) {
    return bytes == 0 ? std::string() : mebibytes(static_cast<double>(bytes), 1) + " MiB";
  };
  text += unknowns_text({.times = dry.unknown_times,
                         .workspaces = dry.workspaces,
                         .communicators = dry.communicators,
                         .cudnn_workspace = taken(dry.cudnn_workspace_bytes),
                         .cusolver_workspace = taken(dry.cusolver_workspace_bytes),
                         .nccl_memory = taken(dry.communicator_bytes)});
  if (dry.modelled_clock) text += "; times of the device are modelled, none is measured";
  std::vector<std::pair<std::string, std::uint64_t>> readers;
  for (const analysis::UnknownReader& each : dry.unknown_reads_by)
    readers.emplace_back(each.reader, each.count);
  text += readers_text(readers);
  if (!dry.refused.empty()) {
    std::vector<std::string> functions;
    for (const auto& refused : dry.refused)
      functions.push_back(fmt::format("{} ({})", refused.function, thousands(refused.calls)));
    text += fmt::format("; refused: {}", fmt::join(functions, ", "));
  }
  text += compared_text(dry);
  if (dry.context_bytes_high > 0) {
    const std::uint64_t low = dry.context_bytes_low >> 20, high = dry.context_bytes_high >> 20;
    text += fmt::format("; beside this, the context takes {} MiB",
                        low == high ? std::to_string(low) : fmt::format("{} to {}", low, high));
  }
  return text;
}

}  // namespace strata::report
