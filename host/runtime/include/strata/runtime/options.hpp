// SPDX-License-Identifier: Apache-2.0
// The options of a session. Plain data, filled by the configuration or by any trainer.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace strata {

// One option as written, with its place for messages ("configs/quickstart.yaml:31").
struct PluginOption {
  std::string key;
  std::string text;
  std::string place;
};

// A source or plugin to load. A bare name is searched for (session: `plugin_path`, then STRATA_PLUGIN_PATH,
// then the folder strata/plugins or strata/sources next to libstrata.so); a name with '/' is a path.
struct PluginRequest {
  std::string name;
  std::vector<PluginOption> options;
  std::string place;
};

// Numbers of steps in order: `wait` and `warmup` steps run before the window, `active` steps are the window.
struct Schedule {
  std::uint64_t wait = 0;
  std::uint64_t warmup = 0;
  std::uint64_t active = UINT64_MAX;
};

// The active window: first and last step, both inclusive.
struct Window {
  std::uint64_t first_step = 0;
  std::uint64_t last_step = 0;
};

// What an append does if its thread's spool is full: wait for the writer, or drop the row and record the gap.
enum class OnFull { kBlock, kDrop };

struct StoreOptions {
  OnFull on_full = OnFull::kBlock;
  std::uint64_t spool_bytes = std::uint64_t{4} << 20;  // of each thread's spool
  // Maximum size of the store of one process: its file, its log and its spools. Detail of the oldest steps is
  // removed to make room for new rows; if nothing is left to remove, rows are dropped. 0: no limit.
  std::uint64_t max_mb = 0;  // MiB
};

// The minimum of StoreOptions::max_mb.
inline constexpr std::uint64_t kLeastStoreMb = 8;

// Longer than an append waits if the disk is full.
inline constexpr std::chrono::milliseconds kSettleLimit{5000};

struct SessionOptions {
  std::string name = "run";
  std::filesystem::path
      directory;  // the run directory, which exists; empty: no store, no artifacts, no manifest
  std::filesystem::path
      manifest;  // empty: manifest.json in `directory`, or in the rank's folder for ranks above 0
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
  std::uint32_t process = 0;  // its number in store and manifest; 0: its pid
  std::vector<PluginRequest> sources;
  std::vector<PluginRequest> plugins;
  std::vector<std::filesystem::path> plugin_path;
  // The profile of the simulated GPU, which the store records. Empty: no simulation.
  std::string dry;
  Schedule schedule;
  StoreOptions store;
  // Infer the steps and phases that the program does not mark from what the source `torch` observes, and
  // record that they are inferred. The program's own marks take precedence and are not inferred a second
  // time.
  bool infer_loop = false;
  bool strict = false;  // a plugin that cannot start makes the session throw
  bool check = false;   // log and check more, see strata/ext/thread-check.h (also STRATA_CHECK=1)
  // How long the end of the window and of the run waits for threads that are inside an event.
  std::chrono::milliseconds settle_limit = kSettleLimit;
};

}  // namespace strata
