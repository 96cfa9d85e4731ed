// The door between `strata`, which holds no torch, and libstrata_trainer.so, which does. Both are built
// together, so C++ types may pass; the library is opened with dlopen when a run needs it.
#pragma once

#include <atomic>
#include <cstdint>
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
  std::uint64_t tokens = 0;          // of the step, or samples where there are none
  std::string_view unit = "tokens";  // or "images"
  std::int64_t step_ns = 0;
};

struct Request {
  const config::RunConfig& config;
  Session& session;  // its run has not begun
  std::function<void(const Progress&)> on_step;
  const std::atomic<int>&
      interrupt;  // a signal number once one was caught, else 0: the run ends after this micro-batch
  std::function<void()> before_end = {};  // while the manifest can still be added to
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
