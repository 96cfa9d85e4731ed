// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/run_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "host/analysis/reading/manifest_reader.hpp"
#include "host/analysis/reading/store_file.hpp"
#include "host/analysis/reading/store_outline.hpp"
#include "host/analysis/reading/store_reader.hpp"
#include "host/analysis/recording/run_error.hpp"

namespace strata::analysis {
namespace {

namespace fs = std::filesystem;

// Parses all of `text` as a number; empty if it is not one.
std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

struct Candidate {
  std::uint64_t rank = 0, pid = 0;
  fs::path path;
};

std::vector<Candidate> stores_of(const fs::path& run_directory) {
  std::error_code error;
  if (!fs::is_directory(run_directory, error)) {
    throw RunError(fmt::format("{}: no such run directory. Give the directory that `strata run --out` wrote",
                               run_directory.string()));
  }
  std::vector<Candidate> found;
  for (const auto& folder : fs::directory_iterator(run_directory, error)) {
    const auto rank = rank_of_folder(folder.path());
    std::error_code unreadable;
    if (!rank || !folder.is_directory(unreadable)) continue;
    for (const auto& file : fs::directory_iterator(folder.path(), unreadable)) {
      const auto pid = number(file.path().stem().string());
      if (file.path().extension() == ".sqlite" && pid) found.push_back({*rank, *pid, file.path()});
    }
  }
  if (error) throw RunError(fmt::format("{}: {}", run_directory.string(), error.message()));
  if (found.empty()) {
    throw RunError(
        fmt::format("{}: contains no rank<k>/<pid>.sqlite, so it is not a run of Strata, or its process "
                    "ended before recording began",
                    run_directory.string()));
  }
  std::sort(found.begin(), found.end(), [](const Candidate& left, const Candidate& right) {
    return std::tie(left.rank, left.pid) < std::tie(right.rank, right.pid);
  });
  return found;
}

void keep_rank(std::vector<Candidate>& candidates, std::uint64_t rank, const fs::path& run_directory) {
  const std::uint64_t last = candidates.back().rank;
  std::erase_if(candidates, [&](const Candidate& candidate) { return candidate.rank != rank; });
  if (candidates.empty())
    throw ChoiceError(
        fmt::format("{}: has no rank {}; its largest rank is {}", run_directory.string(), rank, last));
}

fs::path manifest_of(const fs::path& run_directory, std::uint64_t rank) {
  const fs::path folder = rank == 0 ? run_directory : run_directory / fmt::format("rank{}", rank);
  return folder / "manifest.json";
}

// The process named in a rank's manifest comes before others of that rank.
void put_main_processes_first(std::vector<Candidate>& candidates, const fs::path& run_directory) {
  std::map<std::uint64_t, std::optional<std::uint64_t>> main;
  for (const Candidate& candidate : candidates) {
    if (!main.contains(candidate.rank))
      main[candidate.rank] = manifest_pid(manifest_of(run_directory, candidate.rank));
  }
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& candidate) {
    return std::tuple(candidate.rank, main[candidate.rank] != candidate.pid);
  });
}

}  // namespace

std::optional<std::uint64_t> rank_of_folder(const fs::path& folder) {
  const std::string name = folder.filename().string();
  return name.starts_with("rank") ? number(std::string_view(name).substr(4)) : std::nullopt;
}

Recording read_run(const fs::path& run_directory, std::optional<std::uint64_t> rank, ReadingDetail detail,
                   const std::string& device) {
  std::vector<Candidate> candidates = stores_of(run_directory);
  if (rank) keep_rank(candidates, *rank, run_directory);
  if (candidates.size() > 1) put_main_processes_first(candidates, run_directory);
  std::optional<StoreFile> chosen;
  std::uint64_t chosen_rank = candidates.front().rank;
  std::vector<std::string> warnings;
  for (const Candidate& candidate : candidates) {
    try {
      StoreFile file(candidate.path);
      if (!outline_of(file).holds_anything) continue;
      chosen.emplace(std::move(file));
      chosen_rank = candidate.rank;
      break;
    } catch (const RunError& error) {
      if (candidates.size() == 1) throw;
      warnings.emplace_back(error.what());
    }
  }
  if (!chosen) {
    if (!warnings.empty()) throw RunError(warnings.front());
    chosen.emplace(candidates.front().path);
  }

  const fs::path manifest = manifest_of(run_directory, chosen_rank);
  Recording recording = read_store(*chosen, detail, device, manifest_allocator_settings(manifest));
  recording.directory = run_directory;
  for (const Candidate& candidate : candidates) {
    if (candidate.path == chosen->path() || candidate.rank != chosen_rank) continue;
    warnings.push_back(fmt::format("{}: another process of this run; these results cover only {}",
                                   candidate.path.string(), chosen->path().string()));
  }
  read_manifest(manifest, recording, warnings);
  recording.warnings.insert(recording.warnings.begin(), warnings.begin(), warnings.end());
  return recording;
}

}  // namespace strata::analysis
