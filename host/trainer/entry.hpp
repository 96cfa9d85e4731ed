// SPDX-License-Identifier: Apache-2.0
// The interface between `strata`, which does not link torch, and libstrata_trainer.so, which does. Both are
// built together, so C++ types can be passed; the library is opened with dlopen when a run needs it.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/config/run_config.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

// The progress shown on the terminal after each step.
struct Progress {
  std::uint64_t step = 0;            // completed, counted from 1
  std::uint64_t steps = 0;           // total
  std::optional<double> loss;        // unknown on a dry device
  std::uint64_t tokens = 0;          // of the step, over all ranks; samples if there are no tokens
  std::string_view unit = "tokens";  // or "images"
  std::int64_t step_ns = 0;
};

// The program that started the ranks, which determines how they find each other.
enum class Launcher {
  kNone,     // the only process, possibly of a dry job without other ranks
  kStrata,   // all on this machine
  kTorchrun  // through its variables (MASTER_ADDR, MASTER_PORT)
};

// This process's place among those that train together.
struct RankPlace {
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
  std::uint32_t local_rank = 0;        // among those on this machine
  std::uint32_t local_world_size = 1;  // their number
  Launcher launcher = Launcher::kNone;
  std::filesystem::path rendezvous = {};  // kStrata: a file, not existing yet, that all of them can write
};

struct Request {
  const config::RunConfig& config;  // its device is that of this rank
  Session& session;                 // its run has not begun
  std::function<void(const Progress&)> on_step;
  const std::atomic<int>&
      interrupt;  // a signal number once one was caught, else 0: the run ends after the current micro-batch
  std::function<void()> before_end = {};  // called while the manifest can still be extended
  RankPlace place = {};
  std::filesystem::path directory = {};  // the run's, for checkpoints; required if `config.save` is used
};

enum class Outcome { kDone, kFailed, kInterrupted, kOutOfMemory };

struct Result {
  Outcome outcome = Outcome::kFailed;
  std::string message;  // for a failure: what happened and what to do
  std::uint64_t steps = 0;
  std::optional<double> last_loss;
  std::uint64_t parameters = 0;  // elements
};

// Runs the training described by `request.config`, from `begin_run` to `end_run`. Never throws.
using RunFunction = Result (*)(const Request& request);

// The symbol to look up in libstrata_trainer.so: extern "C", of type RunFunction.
inline constexpr const char* kRunSymbol = "strata_trainer_run";

}  // namespace strata::trainer
