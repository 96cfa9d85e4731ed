// SPDX-License-Identifier: Apache-2.0
// Events in any order, including orders that no trainer sends, as event_player.hpp reads them. Plugins see a
// consistent run: an end arrives if and only if its begin did, whatever is open at the run's end is ended,
// every event has its own number, and no plugin fails. No emitted event is missing from the store, and
// analysis can read it.
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "host/analysis/analyse.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "tests/fuzz/event_player.hpp"
#include "tests/fuzz/line_mutator.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::fuzz {
namespace {

constexpr const char* kListener = "recording_whole";

using Counts = std::map<std::string, std::int64_t, std::less<>>;

// "begin_phase forward" adds 1 to "phase forward", and its end subtracts it.
void require_pairs(const std::vector<Heard>& heard) {
  Counts open;
  std::set<std::uint64_t> sequences;
  for (const Heard& one : heard) {
    if (one.plugin != kListener) continue;
    const std::string_view what = one.what;
    if (one.when.sequence != 0)
      expect(sequences.insert(one.when.sequence).second, "an event has a number of its own", what);
    const std::size_t under = what.find('_');
    const std::string_view edge = what.substr(0, under);
    std::string range(under == std::string_view::npos ? "" : what.substr(under + 1));
    if (range.starts_with("run")) range = "run";
    if (range.ends_with(" without update"))
      range.resize(range.size() - std::string_view(" without update").size());
    if (edge == "begin") ++open[range];
    if (edge == "end") expect(--open[range] >= 0, "an end comes after its begin", what);
  }
  for (const auto& [range, count] : open) expect(count == 0, "what began is ended", range);
}

Counts counts_of(const std::vector<Heard>& heard) {
  Counts counts;
  for (const Heard& one : heard) {
    if (one.plugin == kListener) ++counts[one.what.substr(0, one.what.find(' '))];
  }
  return counts;
}

std::int64_t ask(sqlite3* store, const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  std::int64_t answer = -1;
  if (sqlite3_prepare_v2(store, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK &&
      sqlite3_step(statement) == SQLITE_ROW)
    answer = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  return answer;
}

void require_all_rows(const std::filesystem::path& file, const Counts& told) {
  sqlite3* store = nullptr;
  expect(sqlite3_open_v2(file.c_str(), &store, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK,
         "the store opens");
  const auto expect_rows = [&](const std::string& table, const std::string& event) {
    const auto found = told.find(event);
    const std::int64_t events = found == told.end() ? 0 : found->second;
    const std::int64_t rows = ask(store, "SELECT count(*) FROM " + table);
    expect(rows == events, "each event is a row of " + table,
           std::to_string(events) + " events, " + std::to_string(rows) + " rows");
  };
  expect_rows("allocator_tracer_event", "on_memory");
  expect_rows("allocator_tracer_saved", "on_graph");
  for (const char* range : {"step", "phase", "module"}) {
    expect_rows(std::string("host_") + range + "_begin", std::string("begin_") + range);
    expect_rows(std::string("host_") + range + "_end", std::string("end_") + range);
  }
  expect_rows("host_tensor", "on_tensor");
  expect(ask(store, "SELECT count(*) FROM gap") == 0, "nothing is lost");
  expect(ask(store, "SELECT count(*) FROM meta WHERE key = 'state' AND value = 'closed'") == 1,
         "a store that was ended is closed");
  sqlite3_close(store);
}

void require_facts(const std::filesystem::path& run, bool has_memory) {
  try {
    const analysis::Facts facts = analysis::analyse(run);
    std::uint64_t allocated = 0;
    for (const analysis::Block& block : facts.blocks) allocated += block.bytes;
    for (const analysis::Point& point : facts.points) {
      std::uint64_t alive = 0;
      for (const std::uint64_t bytes : point.bytes) alive += bytes;
      expect(alive <= allocated, "no more is alive than was allocated, and never less than nothing");
    }
  } catch (const analysis::RunError& error) {
    expect(!has_memory, "what was recorded can be read", error.what());
  }
}

// Ranges and addresses have few numbers, so that events collide.
std::string new_event(Random& random) {
  constexpr std::array kForms{"step N N",           "end_step N",     "micro N",        "mark_step",
                              "phase N forward",    "phase N other",  "end_phase N",    "module N layers.0",
                              "module N head",      "end_module N",   "op N aten::mm",  "op N MmBackward0",
                              "end_op N",           "memory 1 A B D", "memory 2 A 0 D", "memory N A B D",
                              "graph 1 N A B",      "graph 2 N A B",  "tensor N A B w", "tensor N A B g A",
                              "activity N T T N k", "thread N",       "ready",          "run",
                              "end_run N",          "window N N N",   "infer"};
  // Lines that begin or end a run, and settings, are rare.
  const std::size_t form = random() % 16 == 0 ? random() % kForms.size() : random() % (kForms.size() - 5);
  std::string line;
  for (const char letter : std::string_view(kForms[form])) {
    const bool seldom = random() % 16 == 0;
    if (letter == 'N')
      line += std::to_string(seldom ? odd_number(random) : random() % 8);
    else if (letter == 'A')
      line += std::to_string(seldom ? odd_number(random) : 64 * (random() % 6));
    else if (letter == 'B')
      line += std::to_string(seldom ? odd_number(random) : 512 * (random() % 9));
    else if (letter == 'D')
      line += std::to_string(seldom ? odd_number(random) : random() % 2);
    else if (letter == 'T')
      line += std::to_string(seldom ? odd_number(random) : random() % 100'000);
    else
      line += letter;
  }
  return line;
}

void play(const std::string& script) {
  static const test::TemporaryFolder folder;
  const std::filesystem::path run = folder.path() / "run";
  std::filesystem::remove_all(run);
  std::filesystem::create_directory(run);
  EventPlayer player(run, script);
  player.play();
  require_pairs(player.heard());
  for (const PluginStatus& plugin : player.plugins()) {
    expect(plugin.status == "ok", "no plugin fails", plugin.id + ": " + plugin.reason);
    expect(plugin.faults == 0, "no plugin is at fault", plugin.id);
  }
  const Counts told = counts_of(player.heard());
  require_all_rows(run / "rank0" / (std::to_string(getpid()) + ".sqlite"), told);
  require_facts(run, told.contains("on_memory"));
}

}  // namespace
}  // namespace strata::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned int seed) {
  return strata::fuzz::mutate_lines(data, size, max_size, seed, strata::fuzz::new_event);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  strata::fuzz::play(strata::fuzz::text_of(data, size));
  return 0;
}
