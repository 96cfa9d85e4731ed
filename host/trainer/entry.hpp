// SPDX-License-Identifier: Apache-2.0
// The door between `strata`, which holds no torch, and libstrata_trainer.so, which does. Both are built
// together, so C++ types may pass; the library is opened with dlopen when a run needs it.
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

// What the terminal shows after each step.
struct Progress {
  std::uint64_t step = 0;            // finished, counted from 1
  std::uint64_t steps = 0;           // in all
  std::optional<double> loss;        // unknown on a dry device
  std::uint64_t tokens = 0;          // of the step, of all ranks, or samples where there are none
  std::string_view unit = "tokens";  // or "images"
  std::int64_t step_ns = 0;
};

// Who started the ranks, and with that where they find one another.
enum class Launcher {
  kNone,     // the only process, perhaps of a dry world whose other ranks do not exist
  kStrata,   // all on this machine
  kTorchrun  // its variables say where (MASTER_ADDR, MASTER_PORT)
};

// Which of the processes that train together this one is.
struct RankPlace {
  std::uint32_t rank = 0;
  std::uint32_t world_size = 1;
  std::uint32_t local_rank = 0;        // of those on this machine
  std::uint32_t local_world_size = 1;  // how many these are
  Launcher launcher = Launcher::kNone;
  std::filesystem::path rendezvous = {};  // kStrata: a file, not there yet, that all of them can write
};

struct Request {
  const config::RunConfig& config;  // its device is this rank's
  Session& session;                 // its run has not begun
  std::function<void(const Progress&)> on_step;
  const std::atomic<int>&
      interrupt;  // a signal number once one was caught, else 0: the run ends after this micro-batch
  std::function<void()> before_end = {};  // while the manifest can still be added to
  RankPlace place = {};
  std::filesystem::path directory = {};  // the run's, to save checkpoints in; needed where `config.save` does
};

enum class Outcome { kDone, kFailed, kInterrupted, kOutOfMemory };

struct Result {
  Outcome outcome = Outcome::kFailed;
  std::string message;  // of a failure: what happened and what to do
  std::uint64_t steps = 0;
  std::optional<double> last_loss;
  std::uint64_t parameters = 0;  // elements
};

// Runs the training that `request.config` describes, from `begin_run` to `end_run`. Never throws.
using RunFunction = Result (*)(const Request& request);

// The symbol to look up in libstrata_trainer.so: extern "C", of type RunFunction.
inline constexpr const char* kRunSymbol = "strata_trainer_run";

}  // namespace strata::trainer
