// SPDX-License-Identifier: Apache-2.0
// `strata top`: shows a run while it is running.
#include <poll.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "host/analysis/live/live_json.hpp"
#include "host/analysis/live/live_store.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/run_directory.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/top/screen.hpp"
#include "host/cli/training/interrupt.hpp"
#include "host/cli/usage_error.hpp"
#include "host/report/top/top_screen.hpp"
#include "strata/runtime/run_stores.hpp"

namespace strata::cli {
namespace {

// Follows a run's folder: its stores as they appear, each read from the last position.

class FollowedRun {
 public:
  explicit FollowedRun(std::filesystem::path directory) : directory_(std::move(directory)) {}

  const std::filesystem::path& directory() const { return directory_; }

  // Reads new data, for about `budget` in total. Does not change any file.
  void refresh(std::chrono::milliseconds budget);

  // By rank and process; with `rank`, only that one. Empty while there is no store.
  std::vector<analysis::LiveRank> ranks(std::optional<std::uint64_t> rank = {}) const;

 private:
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // rank and pid
  std::filesystem::path directory_;
  std::map<Key, analysis::LiveStore> stores_;
};

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

analysis::LiveWriter live_writer(StoreWriter writer) {
  switch (writer) {
    case StoreWriter::kAlive:
      return analysis::LiveWriter::kAlive;
    case StoreWriter::kGone:
      return analysis::LiveWriter::kGone;
    default:
      return analysis::LiveWriter::kNone;
  }
}

void FollowedRun::refresh(std::chrono::milliseconds budget) {
  const std::vector<RunStore> found = find_run_stores(directory_);
  if (found.empty()) return;
  const auto each = budget / static_cast<int>(found.size());
  for (const RunStore& store : found) {
    auto& followed =
        stores_.try_emplace({store.rank, store.pid}, directory_, store.rank, store.pid).first->second;
    followed.refresh(store.database, live_writer(store.writer), each);
  }
}

std::vector<analysis::LiveRank> FollowedRun::ranks(std::optional<std::uint64_t> rank) const {
  std::vector<analysis::LiveRank> all;
  const std::int64_t now_ns = monotonic_ns();
  for (const auto& [key, store] : stores_) {
    if (!rank || key.first == *rank) all.push_back(store.view(now_ns));
  }
  return all;
}

// Finds the run to follow.

namespace fs = std::filesystem;

// It and all that it started; the kernel lists the children of each thread.
std::vector<pid_t> family_of(pid_t pid) {
  std::vector<pid_t> family{pid};
  for (std::size_t i = 0; i < family.size(); ++i) {
    std::error_code gone;
    for (const fs::directory_entry& thread :
         fs::directory_iterator(fmt::format("/proc/{}/task", family[i]), gone)) {
      std::ifstream children(thread.path() / "children");
      for (pid_t child = 0; children >> child;) family.push_back(child);
    }
  }
  return family;
}

// <run>/rank<k>/<pid>.sqlite, open in the process. A store that is built in the temporary folder of the
// machine names no run.
std::optional<fs::path> run_written_by(pid_t pid) {
  std::error_code gone;
  for (const fs::directory_entry& open : fs::directory_iterator(fmt::format("/proc/{}/fd", pid), gone)) {
    const fs::path file = fs::read_symlink(open.path(), gone);
    const bool is_store = file.filename() == fmt::format("{}.sqlite", pid);
    if (is_store && file.parent_path().filename().string().starts_with("rank"))
      return file.parent_path().parent_path();
  }
  return std::nullopt;
}

bool goes_on(const fs::path& run) {
  return std::ranges::any_of(find_run_stores(run),
                             [](const RunStore& store) { return store.writer == StoreWriter::kAlive; });
}

// When the first of its ranks came: folders are not written to again later.
fs::file_time_type begin_of(const fs::path& run) {
  fs::file_time_type begin = fs::file_time_type::max();
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(run, ignored)) {
    if (entry.path().filename() == "config.yaml" || entry.path().filename().string().starts_with("rank"))
      begin = std::min(begin, entry.last_write_time(ignored));
  }
  return begin;
}

// The run written by the process or one of its children. Throws UsageError if there is none.
fs::path run_of_process(pid_t pid) {
  std::error_code ignored;
  if (!fs::exists(fmt::format("/proc/{}", pid), ignored))
    throw UsageError(fmt::format("--pid {}: no such process; name the folder of its run instead", pid));
  for (const pid_t each : family_of(pid)) {
    if (const auto run = run_written_by(each)) return *run;
  }
  throw UsageError(
      fmt::format("--pid {}: neither this process nor its children have a visible run store open; name the "
                  "folder of its run instead",
                  pid));
}

// The most recent run under `runs` (runs/<name>/<time>), running ones first. Throws UsageError if there is
// none.
fs::path newest_run(const fs::path& runs) {
  using Newest = std::tuple<bool, fs::file_time_type, fs::path>;
  std::optional<Newest> newest;
  std::error_code ignored;
  for (const fs::directory_entry& name : fs::directory_iterator(runs, ignored)) {
    if (!name.is_directory(ignored)) continue;
    for (const fs::directory_entry& run : fs::directory_iterator(name.path(), ignored)) {
      if (!run.is_directory(ignored) || !RunDirectory::has_rank(run.path())) continue;
      Newest candidate{goes_on(run.path()), begin_of(run.path()), run.path()};
      if (!newest || candidate > *newest) newest = std::move(candidate);
    }
  }
  if (!newest) {
    throw UsageError(fmt::format("no run under {}; start one with `strata run`, or name the folder of one",
                                 fs::absolute(runs).string()));
  }
  return std::get<fs::path>(*newest);
}

using std::chrono::milliseconds;

// Per refresh, so that progress of reading is visible.
constexpr milliseconds kReadingTime{500};
constexpr milliseconds kAsLongAsItTakes{std::chrono::hours(24)};
// With --once, all events before the call are shown: they must reach the store and settle.
constexpr milliseconds kUntilSettled = milliseconds(200) + analysis::kSettledAfter;

struct TopArguments {
  std::string run;
  std::optional<pid_t> pid;
  std::optional<std::uint64_t> rank;
  double interval_seconds = 1.0;
  bool once = false, json = false, plain = false;
};

std::filesystem::path wanted_run(const TopArguments& arguments) {
  if (arguments.pid) return run_of_process(*arguments.pid);
  if (arguments.run.empty()) return newest_run("runs");
  if (!std::filesystem::is_directory(arguments.run)) {
    throw UsageError(fmt::format(
        "{} is not a folder: expected a run's folder, as given to `strata run --out`", arguments.run));
  }
  return std::filesystem::absolute(arguments.run).lexically_normal();
}

bool is_running(const analysis::LiveRank& rank) {
  return rank.state == analysis::LiveState::kRunning;
}

class TopCommand {
 public:
  explicit TopCommand(const TopArguments& arguments)
      : arguments_(arguments),
        followed_(wanted_run(arguments)),
        interval_(static_cast<std::int64_t>(std::llround(arguments.interval_seconds * 1000.0))),
        on_screen_(!arguments.json && !arguments.plain && !arguments.once && is_terminal(STDOUT_FILENO)) {}

  void run() {
    if (arguments_.once) return show_once();
    const InterruptGuard interrupts;
    if (on_screen_) {
      const Screen screen;
      follow(&screen);
    } else {
      follow(nullptr);
    }
    // The last state remains on the normal screen.
    if (on_screen_ && !ranks_.empty()) print(screen_text());
    if (const std::string end = report::top_end(ranks_); !end.empty() && !arguments_.json) say(end);
  }

 private:
  void show_once() {
    refresh(kAsLongAsItTakes);
    if (std::ranges::any_of(ranks_, is_running)) {
      poll(nullptr, 0, static_cast<int>(kUntilSettled.count()));
      refresh(kAsLongAsItTakes);
    }
    if (arguments_.json) return print(analysis::live_document(followed_.directory().string(), ranks_));
    if (ranks_.empty()) return print(waiting_text());
    if (arguments_.plain) return print_lines();
    print(screen_text());
  }

  void follow(const Screen* screen) {
    while (true) {
      refresh(kReadingTime);
      if (screen != nullptr) {
        screen->show(ranks_.empty() ? waiting_text() : screen_text() + "\n  q quits; the run continues");
      } else if (arguments_.json) {
        print(analysis::live_document(followed_.directory().string(), ranks_));
      } else if (!ranks_.empty()) {
        print_lines();
      } else if (!said_waiting_) {
        print(waiting_text());
        said_waiting_ = true;
      }
      if (!report::top_end(ranks_).empty() && have_caught_up()) return;
      if (InterruptGuard::signal() != 0 || pause(screen)) return;
    }
  }

  // True when the user is done.
  bool pause(const Screen* screen) const {
    // Behind by more than a refresh reads: no reason to wait.
    const milliseconds time = have_caught_up() ? interval_ : milliseconds(1);
    if (screen != nullptr) return screen->wait_for_key('q', time) || InterruptGuard::signal() != 0;
    poll(nullptr, 0, static_cast<int>(time.count()));
    return InterruptGuard::signal() != 0;
  }

  void refresh(milliseconds budget) {
    followed_.refresh(budget);
    ranks_ = followed_.ranks(arguments_.rank);
    if (!arguments_.rank || !ranks_.empty()) return;
    const auto all = followed_.ranks();
    if (!all.empty() && arguments_.once)
      throw UsageError(fmt::format("--rank {}: the run has ranks {} to {}", *arguments_.rank,
                                   all.front().rank, all.back().rank));
  }

  bool have_caught_up() const {
    return std::ranges::all_of(ranks_, [](const analysis::LiveRank& rank) {
      return rank.caught_up || !rank.problem.empty() || rank.state == analysis::LiveState::kWaiting;
    });
  }

  std::string waiting_text() const {
    return fmt::format("{}: no process has created a run store yet\n", followed_.directory().string());
  }

  std::string screen_text() const {
    const auto used =
        std::ranges::find_if(ranks_, [](const analysis::LiveRank& rank) { return !rank.devices.empty(); });
    const auto detailed = used == ranks_.end() ? 0 : used - ranks_.begin();
    const std::string directory = followed_.directory().string();
    return report::top_screen({directory, ranks_, static_cast<std::size_t>(detailed)},
                              wants_colour(STDOUT_FILENO), columns(STDOUT_FILENO));
  }

  void print_lines() const {
    for (const analysis::LiveRank& rank : ranks_)
      print(report::top_line(rank, ranks_.size() > 1, columns(STDOUT_FILENO)));
  }

  const TopArguments& arguments_;
  FollowedRun followed_;
  milliseconds interval_;
  bool on_screen_;
  bool said_waiting_ = false;
  std::vector<analysis::LiveRank> ranks_;
};

}  // namespace

void add_top_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<TopArguments>();
  CLI::App* const command =
      app.add_subcommand("top", "Watch a run: its steps and its memory by category, every second");
  CLI::Option* const run =
      command->add_option("RUN", arguments->run, "Folder of a run [the newest under runs/]");
  command->add_option("--pid", arguments->pid, "Watch the run of this process or of one that it started")
      ->check(CLI::PositiveNumber)
      ->excludes(run);
  command->add_option("--rank", arguments->rank, "Rank to show, if the run has several [all]");
  command->add_option("--interval", arguments->interval_seconds, "Seconds between updates [1]")
      ->check(CLI::Range(0.1, 3600.0));
  command->add_flag("--once", arguments->once, "Show one update and quit");
  CLI::Option* const json = command->add_flag(
      "--json", arguments->json, "Print only one JSON object per update, each on one line (docs/top.md)");
  command
      ->add_flag("--plain", arguments->plain,
                 "Print one line per update instead of a screen; the default without a terminal")
      ->excludes(json);
  command->footer(
      "q or Ctrl-C quits, and the run continues; when the run ends, this ends, too. It only reads, and never "
      "delays\n"
      "the run. Categories of memory without an owner are provisional; `strata report` shows the final "
      "ones.\n\n"
      "Examples:\n"
      "  strata top\n"
      "  strata top runs/quickstart/20261121T101500Z\n"
      "  strata top --pid $(pgrep -n -f train.py)\n"
      "  strata top --plain --interval 10 >> progress.log\n"
      "  strata top --once --json | jq '.ranks[0].devices[0].peak_allocated_bytes'");
  command->callback([arguments, &exit_code] {
    TopCommand(*arguments).run();
    exit_code = kDone;
  });
}

}  // namespace strata::cli
