// SPDX-License-Identifier: Apache-2.0
// Cells that are shell scripts: they end within milliseconds, in every way in which a run can end.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "host/grid/grid_folder.hpp"
#include "host/grid/runner.hpp"
#include "tests/grid/grid_text.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {

// A run's summary with that peak, as `strata run` leaves it.
inline std::string summary_text(std::uint64_t peak) {
  return "{\"schema\": \"strata.summary/1\", \"measured\": true, \"window\": {\"first_step\": 0, "
         "\"last_step\": 1}, "
         "\"steps\": [{\"index\": 0, \"duration_ns\": 10}, {\"index\": 1, \"duration_ns\": 30}], \"peak\": "
         "{\"allocated_bytes\": " +
         std::to_string(peak) +
         ", \"reserved_bytes\": 2097152}, \"plugins\": [{\"id\": \"allocator_tracer\", \"status\": \"ok\"}], "
         "\"throughput\": {\"per_second\": null}, \"scopes\": [], \"out_of_memory\": []}\n";
}

// `body` runs with $1, the configuration, and $2, the run's folder; SEED is the cell's seed. After it the
// script leaves the files of a successful run: a peak of 1000 + SEED.
class FakeCells {
 public:
  explicit FakeCells(const std::string& body)
      : script_(folder_.write("cell.sh",
                              "SEED=$(sed -n 's/^seed: //p' \"$1\")\n"
                              "leave() { mkdir -p \"$2\"; sed \"s/\\\"allocated_bytes\\\": "
                              "0/\\\"allocated_bytes\\\": $((1000 + SEED))/\" \"" +
                                  folder_.write("summary.json", summary_text(0)).string() +
                                  "\" > \"$2/summary.json\"; echo '{\"end\": \"'$3'\"}' > "
                                  "\"$2/manifest.json\"; echo > \"$2/report.html\"; }\n" +
                                  body + "\nleave \"$1\" \"$2\" done\n")) {}

  grid::RunCommand command() const {
    const std::string script = script_.string();
    return [script](const std::filesystem::path& config, const std::filesystem::path& run) {
      return grid::Launch{.words = {"/bin/sh", script, config.string(), run.string()}, .output = {}};
    };
  }
  const std::filesystem::path& path() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path script_;
};

// `count` cells with different seeds.
inline grid::Plan seeds(int count, const std::string& more = "") {
  return plan("repeats: " + std::to_string(count) + "\nset: {device: {dry: h200}}\n" + more).plan;
}

class Silent : public grid::Watcher {
 public:
  void began(const grid::Cell&) override { ++begun; }
  void ended(const grid::Cell&, const grid::CellState&) override {}
  void looked(const std::vector<grid::CellState>& states) override {
    std::size_t running = 0;
    for (const grid::CellState& state : states) running += state.status == grid::Status::kRunning ? 1 : 0;
    most_at_once = std::max(most_at_once, running);
  }

  int begun = 0;
  std::size_t most_at_once = 0;
};

}  // namespace strata::test
