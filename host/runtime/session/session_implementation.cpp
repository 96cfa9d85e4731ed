// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/session/session_implementation.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

#include "host/runtime/log.hpp"
#include "host/runtime/session/manifest_sections.hpp"
#include "strata/ext/log.h"

namespace strata {
namespace {

static_assert(kSettleLimit > kStorePatience, "an append that waits for the disk is an event under way");

// Longer than the disk may make an append wait.
constexpr std::chrono::seconds kHangPatience{5};
static_assert(kHangPatience > kStorePatience);

bool check_wanted(const SessionOptions& options) {
  const char* value = secure_getenv("STRATA_CHECK");
  return options.check || (value != nullptr && std::string_view(value) == "1");
}

std::string rank_folder(const SessionOptions& options) {
  return fmt::format("rank{}", options.rank);
}

// The first rank's manifest is next to the configuration, the others' in their own folders.
std::filesystem::path manifest_path(const SessionOptions& options) {
  if (options.directory.empty()) return {};
  if (!options.manifest.empty()) return options.manifest;
  const std::filesystem::path folder =
      options.rank == 0 ? options.directory : options.directory / rank_folder(options);
  return folder / "manifest.json";
}

std::vector<std::string> problems_of(const SessionOptions& options) {
  std::vector<std::string> problems;
  if (options.schedule.active == 0) {
    problems.emplace_back("the schedule has no active step; set schedule.active to 1 or more.");
  }
  if (!options.directory.empty() && !std::filesystem::is_directory(options.directory)) {
    problems.push_back(
        fmt::format("the run directory '{}' does not exist; create it first.", options.directory.string()));
  }
  if (options.world_size == 0 || options.rank >= options.world_size) {
    problems.push_back(fmt::format("rank {} is not below the world size {}; ranks count from 0.",
                                   options.rank, options.world_size));
  }
  if (options.plugins.size() + options.sources.size() >= kMaximumListeners) {
    problems.push_back(fmt::format("{} plugins and sources were requested; at most {} can be loaded.",
                                   options.plugins.size() + options.sources.size(), kMaximumListeners - 1));
  }
  return problems;
}

std::unique_ptr<Store> open_store(const SessionOptions& options, const Window& window) {
  if (options.directory.empty()) return nullptr;
  std::map<std::string, std::string> meta{{"name", options.name},
                                          {"rank", std::to_string(options.rank)},
                                          {"world_size", std::to_string(options.world_size)},
                                          {"first_step", std::to_string(window.first_step)},
                                          {"last_step", std::to_string(window.last_step)}};
  if (!options.dry.empty()) meta["dry"] = options.dry;
  try {
    return std::make_unique<Store>(options.directory / rank_folder(options), process_number(options),
                                   options.store, std::move(meta));
  } catch (const std::runtime_error& error) {
    throw SessionError({error.what()});
  }
}

std::vector<ChosenPlugin> choose_plugins(const SessionOptions& options, LoadReport& report) {
  std::vector<std::string> problems = problems_of(options);
  Loader loader(options.plugin_path, report);
  // Plugins before sources: begins reach them in that order, so that no source emits to a plugin that has not
  // begun.
  std::vector<ChosenPlugin> chosen = loader.choose(PluginKind::kPlugin, options.plugins, problems);
  for (ChosenPlugin& source : loader.choose(PluginKind::kSource, options.sources, problems)) {
    chosen.push_back(std::move(source));
  }
  if (!problems.empty()) throw SessionError(std::move(problems));
  return chosen;
}

}  // namespace

Session::Implementation::Implementation(SessionOptions options, std::vector<ChosenPlugin> chosen,
                                        LoadReport& report)
    : options_(std::move(options)),
      schedule_(options_.schedule),
      faults_(check_wanted(options_)),
      fan_out_(faults_),
      loop_thread_(fan_out_, schedule_, options_.settle_limit),
      manifest_(manifest_path(options_)),
      hangs_(fan_out_.listeners(), kHangPatience),
      store_(open_store(options_, schedule_.window())),
      artifacts_(options_.directory.empty() ? nullptr
                                            : std::make_unique<Artifacts>(options_.directory, options_.rank)),
      names_(store_.get()),
      loop_thread_marks_(loop_thread_, names_, optimizer_watchers_),
      inference_(loop_thread_marks_),
      parts_{fan_out_, loop_thread_, names_,           schedule_,
             clock_,   store_.get(), artifacts_.get(), options_.infer_loop ? &inference_ : nullptr} {
  if (store_ != nullptr) {
    fan_out_.listen(recorder_.emplace(*store_, clock_).listeners());
    store_->each_second([this] { hangs_.look_at_call(monotonic_ns()); });
  }
  start_plugins(std::move(chosen), report);
  for (const auto& instance : instances_) {
    const ListenerSet& set = instance->listeners();
    plugins_want_modules_ |= set.module.begin != nullptr || set.module.end != nullptr;
  }
  for (const ListenerSet& set : fan_out_.listeners()) {
    wants_tensors_ |=
        set.tensor.on_tensor != nullptr || set.module.begin != nullptr || set.module.end != nullptr;
  }
  if (store_ != nullptr) store_->each_second([this] { hangs_.look(monotonic_ns()); });
  try {
    describe_begin();
    claim_process(*this);
  } catch (...) {  // another session was opened meanwhile
    give_up_opening();
    throw;
  }
  write_manifest();
}

std::unique_ptr<Session::Implementation> Session::Implementation::make(SessionOptions options) {
  expect_unclaimed_process();
  LoadReport report;
  std::vector<ChosenPlugin> chosen = choose_plugins(options, report);
  return std::unique_ptr<Implementation>(new Implementation(std::move(options), std::move(chosen), report));
}

void Session::Implementation::start_plugins(std::vector<ChosenPlugin> chosen, LoadReport& report) {
  std::vector<std::string> failures;
  for (ChosenPlugin& choice : chosen) {
    instances_.push_back(std::make_unique<PluginInstance>(choice.file, *choice.descriptor,
                                                          std::move(choice.options), parts_, hangs_));
    PluginInstance& instance = *instances_.back();
    if (instance.start()) {
      fan_out_.listen(instance.listeners());
      report.line("  {}: started", instance.id());
      continue;
    }
    const std::string reason = instance.status().reason;
    report.line("  {}: disabled: {}", instance.id(), reason);
    write_log(STRATA_LOG_WARNING, instance.id(),
              fmt::format("disabled, and the run continues without it: {}", reason));
    failures.push_back(fmt::format(
        "plugin '{}' cannot start: {}. Remove it, or allow the run to continue without it (strict: false).",
        instance.id(), reason));
  }
  if (!options_.strict || failures.empty()) return;
  give_up_opening();
  throw SessionError(std::move(failures));
}

void Session::Implementation::destroy_plugins() noexcept {
  for (auto instance = instances_.rbegin(); instance != instances_.rend(); ++instance) (*instance)->destroy();
  for (auto instance = instances_.rbegin(); instance != instances_.rend(); ++instance) {
    (*instance)->deinitialise_file();
  }
}

void Session::Implementation::give_up_opening() noexcept {
  destroy_plugins();
  try {
    if (store_ != nullptr) store_->close("failed");
  } catch (const std::exception& error) {
    write_log(STRATA_LOG_ERROR, "", error.what());
  }
}

void Session::Implementation::begin_run() {
  strata_run_info run{};
  run.struct_size = sizeof run;
  run.rank = options_.rank;
  run.world_size = options_.world_size;
  run.pid = static_cast<std::uint32_t>(getpid());
  run.name = options_.name.c_str();
  run.directory = options_.directory.c_str();
  loop_thread_.begin_run(run);
}

void Session::Implementation::finish(RunEnd reason, bool exiting) noexcept {
  if (finished_.exchange(true)) return;
  try {
    const std::uint32_t flush = exiting ? STRATA_FLUSH_EXITING : STRATA_FLUSH_RUN_END;
    loop_thread_.flush_before_end(flush);
    if (options_.infer_loop) inference_.finish();
    // Receivers of the end must know that libraries may be gone.
    const bool settled =
        loop_thread_.end_run(exiting ? STRATA_RUN_EXITED : static_cast<std::uint32_t>(reason), flush);
    if (!settled) {
      write_log(STRATA_LOG_WARNING, "",
                fmt::format("a thread is still inside an event after {} ms: plugins are neither notified of "
                            "the end of the run nor destroyed",
                            options_.settle_limit.count()));
    }
    if (settled && !exiting) destroy_plugins();
    parts_.disarmed.store(true);
    if (store_ != nullptr) store_->close(end_name(reason));
    describe_end(reason);
  } catch (const std::exception& error) {
    write_log(STRATA_LOG_ERROR, "", fmt::format("the run could not be ended properly: {}", error.what()));
  }
  write_manifest();
}

void Session::Implementation::forked_child() noexcept {
  finished_.store(true);
  parts_.disarmed.store(true);
  loop_thread_.disarm();
  forget_other_threads();
}

void Session::Implementation::describe(std::string_view section, std::string_view json) {
  manifest_.describe(section, json);
  if (!finished_.load()) write_manifest();
}

std::vector<PluginStatus> Session::Implementation::plugins() const {
  std::vector<PluginStatus> statuses;
  for (const auto& instance : instances_) statuses.push_back(instance->status());
  return statuses;
}

void Session::Implementation::describe_begin() {
  manifest_.set("schema", "strata.manifest/1");
  manifest_.set("name", options_.name);
  manifest_.set("state", "open");
  manifest_.set("end", nullptr);
  manifest_.set("begin_time", iso_time(clock_.to_realtime_ns(monotonic_ns())));
  manifest_.set("end_time", nullptr);
  manifest_.set("strata", strata_section());
  manifest_.set("process", process_section(options_));
  manifest_.set("host", host_section(this_machine()));
  manifest_.set("window", window_section(schedule_.window()));
  manifest_.set("sources", plugin_section(plugins(), true));
  manifest_.set("plugins", plugin_section(plugins(), false));
}

void Session::Implementation::describe_end(RunEnd reason) {
  manifest_.set("state", "closed");
  manifest_.set("end", end_name(reason));
  manifest_.set("end_time", iso_time(clock_.to_realtime_ns(monotonic_ns())));
  manifest_.set("sources", plugin_section(plugins(), true));
  manifest_.set("plugins", plugin_section(plugins(), false));
  manifest_.set("faults", faults_.by_name());
  if (store_ != nullptr) manifest_.set("store", store_section(*store_));
  if (artifacts_ != nullptr) manifest_.set("artifacts", artifact_section(artifacts_->committed()));
}

void Session::Implementation::write_manifest() noexcept {
  if (options_.directory.empty()) return;
  try {
    manifest_.write();
  } catch (const std::exception& error) {
    write_log(STRATA_LOG_ERROR, "", error.what());
  }
}

}  // namespace strata
