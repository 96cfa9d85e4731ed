// SPDX-License-Identifier: Apache-2.0
#include "host/cli/dry_account.hpp"

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "host/analysis/json/summary_parts.hpp"
#include "strata/dry_gpu.h"

namespace strata::cli {
namespace {

std::uint64_t sum(const strata_dry_gpu_slot (&slots)[STRATA_DRY_GPU_ACCOUNT_SLOTS]) {
  std::uint64_t total = 0;
  for (const strata_dry_gpu_slot& slot : slots) total += slot.value;
  return total;
}

bool read_file(const std::filesystem::path& path, strata_dry_gpu_account& account) {
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(&account), sizeof account);
  return file.gcount() == sizeof account &&
         std::string_view(account.kind, sizeof STRATA_DRY_GPU_ACCOUNT) ==
             std::string_view(STRATA_DRY_GPU_ACCOUNT, sizeof STRATA_DRY_GPU_ACCOUNT);
}

}  // namespace

DryAccount read_dry_accounts(const std::filesystem::path& folder) {
  DryAccount total;
  std::map<std::string, std::uint64_t> refused;
  std::map<std::string, DryAccount::Reader> readers;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    strata_dry_gpu_account account;
    if (entry.path().extension() != ".account" || !read_file(entry.path(), account)) continue;
    total.processes += account.devices > 0 ? 1 : 0;
    total.kernels_not_run += sum(account.launches);
    total.library_calls_not_computed += sum(account.library_calls);
    total.unknown_reads += sum(account.unknown_reads);
    total.unknown_read_bytes += sum(account.unknown_bytes);
    total.unknown_times += sum(account.unknown_times);
    total.answered_reads += sum(account.answered_reads);
    total.assumed_reads += sum(account.assumed_reads);
    total.workspaces.unknown += sum(account.unknown_workspaces);
    total.workspaces.asked += sum(account.asked_workspaces);
    total.workspaces.fitted += sum(account.fitted_workspaces);
    total.workspaces.bounded += sum(account.bounded_workspaces);
    total.communicators += sum(account.communicators);
    for (std::size_t part = 0; part < total.context_parts.size(); ++part) {
      const strata_dry_gpu_context_part& taken = account.context_parts[part];
      if (taken.bytes > total.context_parts[part].bytes)
        total.context_parts[part] = {taken.bytes, taken.after_calls};
    }
    for (std::size_t model = 0; model < total.modelled.size(); ++model) {
      total.modelled[model].works += account.modelled[model].works;
      total.modelled[model].ns += account.modelled[model].ns;
    }
    for (const strata_dry_gpu_reader& reader : account.readers) {
      const std::string name(reader.name, strnlen(reader.name, sizeof reader.name));
      if (name.empty()) continue;
      DryAccount::Reader& known = readers[name];
      known.name = name;
      known.unknown_reads += reader.unknown_reads;
      known.unknown_bytes += reader.unknown_bytes;
      known.answered_reads += reader.answered_reads;
    }
    for (const strata_dry_gpu_refused& function : account.refused) {
      const std::string name(function.function, strnlen(function.function, sizeof function.function));
      if (!name.empty()) refused[name] += function.calls;
    }
  }
  for (const auto& [name, reader] : readers) total.readers.push_back(reader);
  for (const auto& [function, calls] : refused) total.refused.push_back({function, calls});
  return total;
}

std::uint64_t DryAccount::modelled_ns() const {
  std::uint64_t total = 0;
  for (const Modelled& sum : modelled) total += sum.ns;
  return total;
}

std::string dry_json(const DryChoice& choice, const DryAccount& account) {
  const config::DeviceProfile& profile = choice.profile;
  analysis::DryFact dry{
      .profile = profile.key,
      .name = profile.name,
      .compared = profile.compared,
      .devices = static_cast<std::uint64_t>(choice.devices),
      .memory_bytes = profile.memory_bytes,
      .memory_is_given = choice.settings.memory_bytes > 0,
      .context_bytes_low = profile.context_bytes.low,
      .context_bytes_high = profile.context_bytes.high,
      .context_bytes_used = profile.context_bytes.high,
      .context_bytes_init = profile.context_bytes.high,
      .context_parts = {},
      .kernels_not_run = account.kernels_not_run,
      .library_calls_not_computed = account.library_calls_not_computed,
      .unknown_reads = account.unknown_reads,
      .unknown_read_bytes = account.unknown_read_bytes,
      .unknown_times = account.unknown_times,
      .answered_reads = account.answered_reads,
      .assumed_reads = account.assumed_reads,
      .workspaces = account.workspaces,
      .communicators = account.communicators,
      .cudnn_workspace_bytes = static_cast<std::uint64_t>(choice.settings.cudnn_workspace_bytes),
      .cusolver_workspace_bytes = static_cast<std::uint64_t>(choice.settings.cusolver_workspace_bytes),
      .communicator_bytes = choice.communicator_bytes(),
      .modelled_clock = std::nullopt,
      .unknown_reads_by = {},
      .refused = {}};
  for (std::size_t part = 0; part < account.context_parts.size(); ++part) {
    const DryAccount::TakenPart& taken = account.context_parts[part];
    if (taken.bytes == 0) continue;
    dry.context_parts.push_back({std::string(kContextParts[part].name), taken.bytes, taken.after_calls});
    dry.context_bytes_low += taken.bytes;
    dry.context_bytes_high += taken.bytes;
    dry.context_bytes_used += taken.bytes;
  }
  if (choice.settings.models_time) {
    dry.modelled_clock.emplace();
    for (std::size_t model = 0; model < account.modelled.size(); ++model)
      dry.modelled_clock->push_back(
          {DryAccount::kModels[model], account.modelled[model].works, account.modelled[model].ns});
  }
  for (const DryAccount::Reader& reader : account.readers)
    dry.unknown_reads_by.push_back(
        {reader.name, reader.unknown_reads, reader.unknown_bytes, reader.answered_reads});
  for (const DryAccount::Refused& function : account.refused)
    dry.refused.push_back({function.function, function.calls});
  return analysis::to_json(dry).dump();
}

}  // namespace strata::cli
