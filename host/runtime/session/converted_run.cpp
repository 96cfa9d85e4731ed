// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/converted_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "host/runtime/recording/recorder_tables.hpp"
#include "host/runtime/session/manifest.hpp"
#include "host/runtime/session/manifest_sections.hpp"
#include "host/runtime/store/store.hpp"
#include "strata/ext/run.h"
#include "strata/ext/store.h"

namespace strata {
namespace {

constexpr std::uint32_t kActive = 2;  // of a step's schedule
constexpr const char* kDone = "done";

std::map<std::string, std::string> facts_of(const std::string& name) {
  return {{"name", name},
          {"rank", "0"},
          {"world_size", "1"},
          {"first_step", "0"},
          {"last_step", std::to_string(UINT64_MAX)}};
}

}  // namespace

class ConvertedRun::Implementation {
 public:
  Implementation(const std::filesystem::path& run_directory, const std::string& name)
      : pid_(static_cast<std::uint32_t>(getpid())),
        store_(run_directory / "rank0", pid_, {}, facts_of(name)),
        tables_(store_),
        manifest_(run_directory / "manifest.json") {
    manifest_.set("schema", "strata.manifest/1");
    manifest_.set("name", name);
    manifest_.set("strata", strata_section());
    manifest_.set("process", {{"pid", pid_}, {"rank", 0}, {"world_size", 1}});
    manifest_.set("window", window_section({.first_step = 0, .last_step = UINT64_MAX}));
    manifest_.set("sources", nlohmann::ordered_json::array());
    manifest_.set("plugins", nlohmann::ordered_json::array());
  }

  template <typename Row>
  void append(std::uint32_t table, const Row& row) {
    append_row(table, &row);
  }

  void append_row(std::uint32_t table, const void* row) {
    if (!store_.append(table, row)) {
      store_.close("failed");
      throw std::runtime_error(fmt::format("the converted run could not be written: {}", store_.lost()));
    }
  }

  void end(const ConvertedMoment& moment, std::int64_t realtime_ns) {
    append(tables_.run_end, RunEndRow{moment.sequence, moment.monotonic_ns, STRATA_RUN_DONE, 0});
    append(tables_.clock, ClockRow{moment.monotonic_ns, realtime_ns});
    store_.close(kDone);
    if (const std::string lost = store_.lost(); !lost.empty())
      throw std::runtime_error(fmt::format("the converted run could not be written: {}", lost));
    manifest_.set("state", "closed");
    manifest_.set("end", kDone);
    manifest_.set("end_time", iso_time(realtime_ns));
    manifest_.set("faults", nlohmann::ordered_json::object());
    manifest_.set("store", store_section(store_));
    manifest_.set("artifacts", nlohmann::ordered_json::array());
    manifest_.write();
  }

  const std::uint32_t pid_;
  Store store_;
  const RecorderTables tables_;
  Manifest manifest_;
};

ConvertedRun::ConvertedRun(const std::filesystem::path& run_directory, const std::string& name)
    : implementation_(std::make_unique<Implementation>(run_directory, name)) {}

ConvertedRun::~ConvertedRun() = default;

std::uint32_t ConvertedRun::declare(std::string_view plugin_id, const strata_table& table) {
  return implementation_->store_.declare(plugin_id, table);
}

void ConvertedRun::append(std::uint32_t table, const void* row) {
  implementation_->append_row(table, row);
}

std::uint32_t ConvertedRun::intern(std::string_view text) {
  return implementation_->store_.intern(text).id;
}

void ConvertedRun::begin(const ConvertedMoment& moment, std::int64_t realtime_ns) {
  Implementation& run = *implementation_;
  run.append(run.tables_.clock, ClockRow{moment.monotonic_ns, realtime_ns});
  run.append(run.tables_.run_begin, RunMomentRow{moment.sequence, moment.monotonic_ns});
  run.manifest_.set("begin_time", iso_time(realtime_ns));
}

void ConvertedRun::begin_step(const ConvertedMoment& moment, std::uint64_t step) {
  Implementation& run = *implementation_;
  run.append(run.tables_.step_begin, StepBeginRow{moment.sequence, moment.monotonic_ns, step, kActive, 0});
}

void ConvertedRun::end_step(const ConvertedMoment& moment, std::uint64_t step) {
  Implementation& run = *implementation_;
  run.append(run.tables_.step_end,
             StepEndRow{moment.sequence, moment.monotonic_ns, step, std::nan(""), 0, 0, 0});
}

void ConvertedRun::describe(std::string_view section, std::string_view json) {
  implementation_->manifest_.describe(section, json);
}

void ConvertedRun::finish(const ConvertedMoment& moment, std::int64_t realtime_ns) {
  implementation_->end(moment, realtime_ns);
}

}  // namespace strata
