// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/live/live_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "host/analysis/reading/manifest_reader.hpp"
#include "host/analysis/recording/recording.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

// Rows that are kept back may still speak of phases as old as this.
constexpr std::int64_t kPhaseKeptNs = 10'000'000'000;
// The maximum length of a phase name chosen by a program.
constexpr std::size_t kLongestPhaseName = 300;

std::uint64_t number_or(std::string_view text, std::uint64_t otherwise) {
  std::uint64_t number = otherwise;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : otherwise;
}

}  // namespace

LiveStore::LiveStore(std::filesystem::path run_directory, std::uint32_t rank, std::uint32_t pid)
    : run_directory_(std::move(run_directory)) {
  rank_.rank = rank;
  rank_.pid = pid;
}

void LiveStore::refresh(const std::filesystem::path& database, LiveWriter writer,
                        LiveReader::Clock::duration budget) {
  try {
    read_manifest_once();
    const StoreFile file(database);
    rank_.problem.clear();
    read_meta(file, writer);
    read_interruption();
    read_gaps(file);
    read_rows(file, LiveReader::Clock::now() + budget);
    name_phases(file);
    forget();
  } catch (const RunError& error) {
    rank_.problem = error.what();
    if (writer != LiveWriter::kAlive && rank_.state == LiveState::kWaiting)
      rank_.state = writer == LiveWriter::kGone ? LiveState::kKilled : LiveState::kUnwritten;
  }
}

std::filesystem::path LiveStore::manifest() const {
  const std::filesystem::path folder =
      rank_.rank == 0 ? run_directory_ : run_directory_ / fmt::format("rank{}", rank_.rank);
  return folder / "manifest.json";
}

void LiveStore::read_manifest_once() {
  std::error_code ignored;
  if (manifest_read_ || !std::filesystem::exists(manifest(), ignored)) return;
  Recording described;
  std::vector<std::string> warnings;
  read_manifest(manifest(), described, warnings);
  rank_.unit = described.unit;
  if (described.dry) {
    rank_.dry = described.dry->name.empty() ? described.dry->profile : described.dry->name;
    dry_memory_bytes_ = described.dry->memory_bytes;
  }
  manifest_read_ = true;
}

// A process that has just begun has made no tables yet.
void LiveStore::read_meta(const StoreFile& file, LiveWriter writer) {
  std::map<std::string, std::string, std::less<>> meta;
  if (file.has_table("meta")) {
    for (Query query(file, "meta", {"key", "value"}); query.next();)
      meta.insert_or_assign(std::string(query.row().text(0)), std::string(query.row().text(1)));
  }
  if (meta["schema"].empty() && writer == LiveWriter::kAlive) return;
  if (meta["schema"] != "strata.store/1") {
    throw RunError(fmt::format("{}: has schema '{}', but this program reads strata.store/1",
                               file.path().string(), meta["schema"]));
  }
  rank_.name = meta["name"];
  if (!meta["end"].empty()) rank_.end = run_end_of(meta["end"]);
  rank_.first_step = number_or(meta["first_step"], 0);
  rank_.last_step = number_or(meta["last_step"], UINT64_MAX);
  if (rank_.dry.empty()) rank_.dry = meta["dry"];
  const bool ended = meta["state"] == "closed" || rank_.end.has_value();
  if (ended && writer != LiveWriter::kAlive) {
    rank_.state = LiveState::kEnded;
  } else if (writer == LiveWriter::kAlive) {
    rank_.state = LiveState::kRunning;
  } else {
    const bool died = writer == LiveWriter::kGone || meta["state"] == "recovered";
    rank_.state = died ? LiveState::kKilled : LiveState::kUnwritten;
  }
}

// The program that started the process wrote to the manifest how it ended.
void LiveStore::read_interruption() {
  if (rank_.state != LiveState::kKilled) return;
  Recording described;
  described.end = RunEnd::kKilled;
  std::vector<std::string> warnings;
  read_manifest(manifest(), described, warnings);
  if (described.end != RunEnd::kInterrupted) return;
  rank_.state = LiveState::kEnded;
  rank_.end = described.end;
}

// Few, where there are any.
void LiveStore::read_gaps(const StoreFile& file) {
  if (!file.has_table("gap")) return;
  rank_.dropped_rows = 0;
  for (Query query(file, "gap", {"rows"}); query.next();) rank_.dropped_rows += query.row().bits(0);
  if (!file.has_table("thinned")) return;
  rank_.thinned_steps = 0;
  for (Query query(file, "thinned", {"steps"}); query.next();) rank_.thinned_steps += query.row().bits(0);
}

void LiveStore::read_rows(const StoreFile& file, LiveReader::Clock::time_point deadline) {
  do {
    const LiveRows rows = reader_.read(file, deadline, rank_.state == LiveState::kRunning);
    apply(rows);
    rank_.caught_up = rows.caught_up;
  } while (!rank_.caught_up && LiveReader::Clock::now() < deadline);
}

void LiveStore::apply(const LiveRows& rows) {
  rank_.rows += rows.rows;
  if (rows.begin_ns != 0) begin_ns_ = rows.begin_ns;
  newest_ns_ = rows.newest_ns;
  for (const LiveStepEdge& edge : rows.steps) {
    if (edge.is_end) {
      steps_.end(edge.step, edge.ns, edge.loss, edge.counted);
    } else {
      steps_.begin(edge.step, edge.schedule, edge.ns);
    }
  }
  for (const LivePhase& phase : rows.phases) phases_.begin(phase);
  for (const LivePhaseEnd& end : rows.phase_ends) phases_.end(end.ordinal, end.sequence);
  auto tensor = rows.tensors.begin();
  for (const MemoryRow& event : rows.memory) {
    for (; tensor != rows.tensors.end() && tensor->tensor.sequence < event.sequence; ++tensor) bind(*tensor);
    devices_[event.device].blocks.apply(event);
  }
  for (; tensor != rows.tensors.end(); ++tensor) bind(*tensor);
  for (const LiveDeviceSample& sample : rows.device_samples) devices_[sample.device].sample = sample;
  if (rows.resident_bytes != 0) rank_.resident_bytes = rows.resident_bytes;
  rank_.peak_resident_bytes =
      std::max({rank_.peak_resident_bytes, rows.peak_resident_bytes, rows.resident_bytes});
}

// A tensor of the host may be in pinned memory, which is a device of its own here.
void LiveStore::bind(const LiveTensor& tensor) {
  const auto found = devices_.find(tensor.tensor.device);
  if (found != devices_.end() && found->second.blocks.bind(tensor.tensor)) return;
  if (tensor.tensor.device.type == STRATA_DEVICE_CUDA) return;
  for (auto& [device, state] : devices_) {
    if (device.type != STRATA_DEVICE_CUDA && state.blocks.bind(tensor.tensor)) return;
  }
}

void LiveStore::name_phases(const StoreFile& file) {
  static constexpr std::array<std::string_view, 1> kText{"text"};
  const auto name = [&](std::uint32_t id) -> const std::string& {
    const auto [place, is_new] = phase_names_.try_emplace(id);
    if (is_new && file.has_table("string")) {
      if (Query query(file, "string", kText, {std::int64_t{id} - 1, 1}); query.next())
        place->second = query.row().text(0).substr(0, kLongestPhaseName);
    }
    return place->second;
  };
  const LivePhase* const open = phases_.open();
  rank_.phase = open == nullptr ? "" : name(open->name);
  for (auto& [device, state] : devices_) {
    const LivePeak& peak = state.blocks.peak();
    if (std::exchange(state.named_peak, peak.sequence) == peak.sequence) continue;
    const LivePhase* const phase = phases_.find(peak.phase);
    state.peak_step = phase == nullptr ? -1 : phase->step;
    state.peak_phase = phase == nullptr ? "" : name(phase->name);
  }
}

void LiveStore::forget() {
  if (!rank_.caught_up) return;
  std::set<std::uint32_t> used;
  for (const auto& [device, state] : devices_) state.blocks.add_birth_phases(used);
  phases_.forget_before(newest_ns_ - kPhaseKeptNs, used);
}

}  // namespace strata::analysis
