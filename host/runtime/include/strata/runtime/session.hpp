// SPDX-License-Identifier: Apache-2.0
// One training run in this process. It loads sources and plugins, numbers and times every event, delivers it
// to the plugins, and records what the run itself knows (steps, phases, modules, tensors) in the run store.
//
// Threads: the constructor, `begin_run` to `end_run`, steps and phases belong to the loop thread, one thread
// at a time. If the loop is inferred (SessionOptions::infer_loop), steps and phases may come from any thread,
// one at a time. Module ranges, tensors and everything that a source emits (strata/ext/emit.h) may come from
// any thread. Lifetime: one session per process at a time; a second one throws std::logic_error. Errors: the
// constructor throws SessionError with all problems at once. Nothing else throws: later errors in a plugin or
// in the store are faults in the manifest and do not affect the trainer.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "strata/runtime/export.hpp"
#include "strata/runtime/options.hpp"

namespace strata {

// Why a session could not be opened. `problems` are complete messages with place and remedy.
class STRATA_RUNTIME_EXPORT SessionError : public std::runtime_error {
 public:
  explicit SessionError(std::vector<std::string> problems);
  const std::vector<std::string>& problems() const noexcept { return problems_; }

 private:
  std::vector<std::string> problems_;
};

enum class RunEnd : std::uint32_t { kDone, kFailed, kInterrupted, kOutOfMemory, kExited };

// Values are STRATA_PHASE_* of strata/ext/phase.h.
enum class PhaseKind : std::uint32_t {
  kOther,
  kSetup,
  kData,
  kHostToDevice,
  kForward,
  kLoss,
  kBackward,
  kGradientSync,
  kClip,
  kOptimizer,
  kZeroGrad,
  kCheckpointSave,
  kEvaluation
};

// Values are STRATA_MODULE_* of strata/ext/module.h.
enum class ModuleDirection : std::uint32_t { kForward, kBackward, kRecompute };

// Values are STRATA_TENSOR_* of strata/ext/tensor.h.
enum class TensorRole : std::uint32_t {
  kParameter = 1,
  kBuffer,
  kEma,
  kGradient,
  kOptimizerState,
  kProjector,
  kScaler,
  kInput,
  kTarget,
  kPrefetch,
  kLogits,
  kLoss,
  kBucket,
  kWorkspace,
  kCheckpointInput,
  kAutocastCopy,
  kOffloaded
};

enum class DeviceType : std::uint32_t { kCpu = 1, kCuda = 2, kCudaHost = 3 };

// The storage of a tensor, and its role in training.
struct TensorInfo {
  TensorRole role{};
  std::string_view name;
  std::string_view dtype;
  DeviceType device_type = DeviceType::kCpu;
  std::int32_t device_index = 0;
  std::uint64_t address = 0;        // of the storage's first byte
  std::uint64_t storage_bytes = 0;  // of the whole storage
  std::uint64_t owner_address = 0;  // of a gradient or optimizer state: the parameter's storage
  std::span<const std::int64_t> sizes = {};
  bool is_frozen = false;  // a parameter that needs no gradient
};

struct StepResult {
  bool optimizer_ran = false;
  std::optional<double> loss = std::nullopt;
  std::uint64_t tokens = 0;
};

// One source or plugin after loading. `status` is "ok", or "disabled" or "failed" with the reason.
struct PluginStatus {
  std::string id;
  std::string version;
  std::string path;
  std::string status;
  std::string reason;
  bool source = false;
  std::uint64_t faults = 0;
};

class STRATA_RUNTIME_EXPORT Session {
 public:
  explicit Session(SessionOptions options);
  // Ends a run that has not ended as kFailed.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void begin_run();
  void ready();
  // Emits missing ends and the run's end, drains the spools and writes the manifest. Idempotent.
  void end_run(RunEnd reason);
  // The same while the process is exiting, from any thread. Does not destroy plugins, and does not wait for
  // unfinished work of other threads.
  void end_run_at_exit(RunEnd reason);

  // `epoch` is the epoch of the step's first sample, if the trainer counts epochs.
  void begin_step(std::uint64_t index, std::uint32_t micro_batches,
                  std::optional<std::uint64_t> epoch = std::nullopt);
  void begin_micro_batch(std::uint32_t index);
  void end_step(const StepResult& result);
  // In a session that infers the loop: one iteration ends here, with this result, and the next begins. Called
  // once per iteration, at its top or at its end, instead of the two functions above.
  void mark_step(const StepResult& result);

  // Returns the phase's ordinal; pass it to `end_phase`. Phases still open inside it are ended first.
  std::uint32_t begin_phase(PhaseKind kind, std::string_view name);
  void end_phase(std::uint32_t ordinal);

  // Returns the range's ordinal; pass it to `end_module` on the same thread. 0 if nothing listens to it.
  std::uint32_t begin_module(std::string_view path, std::string_view type, ModuleDirection direction);
  void end_module(std::uint32_t ordinal);

  void tensor(const TensorInfo& info);

  // [any] In a session that infers the loop: `callback` is called after an optimizer has run, on that thread,
  // until `forget_optimizers` with the same key has returned. It may report tensors, but must not mark
  // anything.
  void watch_optimizers(const void* key, std::function<void()> callback);
  void forget_optimizers(const void* key);

  // Whether anything listens to tensors or modules. If not, a trainer need not look for them.
  bool wants_tensors() const noexcept;
  // Whether a plugin listens to modules. The run store records them too, but details that are expensive to
  // obtain are only collected for plugins.
  bool plugins_want_modules() const noexcept;

  // Adds a section to manifest.json. `json` is a JSON value. Throws std::invalid_argument if it is not.
  void describe(std::string_view section, std::string_view json);

  std::vector<PluginStatus> plugins() const;
  // After the end of the run: what is missing from the store although it was not allowed to be dropped, with
  // the reason and the remedy; empty if nothing is missing.
  std::string lost() const;
  // First and last step of the active window.
  Window window() const noexcept;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

// RAII pairs. Each ends what it began, also when an exception passes through.

// A step that is left before `end`, by an interrupt or an exception, ends without a result. Leave it before
// the model is freed: frees after the end belong to no step.
class Step {
 public:
  Step(Session& session, std::uint64_t index, std::uint32_t micro_batches,
       std::optional<std::uint64_t> epoch = std::nullopt)
      : session_(session) {
    session_.begin_step(index, micro_batches, epoch);
  }
  ~Step() {
    if (open_) session_.end_step({});
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  void end(const StepResult& result) {
    open_ = false;
    session_.end_step(result);
  }

 private:
  Session& session_;
  bool open_ = true;
};

class Phase {
 public:
  Phase(Session& session, PhaseKind kind, std::string_view name)
      : session_(session), ordinal_(session.begin_phase(kind, name)) {}
  ~Phase() { session_.end_phase(ordinal_); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

 private:
  Session& session_;
  std::uint32_t ordinal_;
};

class ModuleRange {
 public:
  ModuleRange(Session& session, std::string_view path, std::string_view type,
              ModuleDirection direction = ModuleDirection::kForward)
      : session_(session), ordinal_(session.begin_module(path, type, direction)) {}
  ~ModuleRange() { session_.end_module(ordinal_); }
  ModuleRange(const ModuleRange&) = delete;
  ModuleRange& operator=(const ModuleRange&) = delete;

  // Whether anything listened to it; outside of the window that may not be so.
  bool is_reported() const noexcept { return ordinal_ != 0; }

 private:
  Session& session_;
  std::uint32_t ordinal_;
};

}  // namespace strata
