// SPDX-License-Identifier: Apache-2.0
// What a session is opened with. Plain data: the configuration fills it, and so may any trainer.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace strata {

// One option as it was written, with its place for messages ("configs/quickstart.yaml:31").
struct PluginOption {
  std::string key;
  std::string text;
  std::string place;
};

// A source or plugin to load: a bare name is searched for (session: `plugin_path`, then STRATA_PLUGIN_PATH,
// then the folder strata/plugins or strata/sources beside libstrata.so), a name with '/' is a path.
struct PluginRequest {
  std::string name;
  std::vector<PluginOption> options;
  std::string place;
};

// Steps by their place in the run: `wait` and `warmup` are run before the window, `active` are
// the window.
struct Schedule {
  std::uint64_t wait = 0;
  std::uint64_t warmup = 0;
  std::uint64_t active = UINT64_MAX;
};

// The active window: first and last step, both included.
struct Window {
  std::uint64_t first_step = 0;
  std::uint64_t last_step = 0;
};

// What an append does when its thread's spool is full: wait for the writer, or drop the row and record the
// gap.
enum class OnFull { kBlock, kDrop };

struct StoreOptions {
  OnFull on_full = OnFull::kBlock;
  std::uint64_t spool_bytes = std::uint64_t{4} << 20;  // of each thread's spool
  // How large the store may grow, of one process: its file, the log beside it and its spools. The oldest
  // steps' detail makes room for new rows, and where there is none left to give rows are dropped. 0: no
  // limit.
  std::uint64_t max_mb = 0;  // MiB
};

// The least that StoreOptions::max_mb may be.
inline constexpr std::uint64_t kLeastStoreMb = 8;

// Longer than an append waits for a full disk.
inline constexpr std::chrono::milliseconds kSettleLimit{5000};

struct SessionOptions {
  std::string name = "run";
  std::filesystem::path
      directory;  // the run directory, which exists; empty: no store, no artifacts, no manifest
  std::filesystem::path manifest;  // empty: manifest.json in `directory`, of a rank above 0 in its folder
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
  std::uint32_t process = 0;  // what store and manifest call it by; 0: its id
  std::vector<PluginRequest> sources;
  std::vector<PluginRequest> plugins;
  std::vector<std::filesystem::path> plugin_path;
  // The profile of the dry device that stands in for a real one; the store says so. Empty: none does.
  std::string dry;
  Schedule schedule;
  StoreOptions store;
  // Steps and phases that the program does not mark are concluded from what the source `torch` sees, and said
  // to be. What it marks itself holds, and is not concluded a second time.
  bool infer_loop = false;
  bool strict = false;  // a plugin that cannot start makes the session throw
  bool check = false;   // log and look closer, as strata/ext/thread-check.h says (also STRATA_CHECK=1)
  // How long the ends of the window and of the run wait for threads that are inside an event.
  std::chrono::milliseconds settle_limit = kSettleLimit;
};

}  // namespace strata
