// SPDX-License-Identifier: Apache-2.0
// The source `cupti`, the process's CUPTI subscriber: reports device activities to all plugins that listen to
// strata.activity/1.
//
// It records while any plugin listens: from the window's first warm-up step to the window's end, or for the
// whole run if a plugin for the whole run listens. With the option `from` it starts with the run. If no
// plugin listens, it loads nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "sources/cupti/options.hpp"
#include "sources/cupti/recording/capture_table.hpp"
#include "sources/cupti/recording/recording.hpp"
#include "sources/cupti/torch_profiler.hpp"
#include "strata/plugin.hpp"

namespace strata::cupti {

class CuptiSource {
 public:
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = STRATA_DESCRIPTOR_SOURCE | STRATA_DESCRIPTOR_WHOLE_RUN,
      .id = "cupti",
      .version = "0.2.0",
      .summary = "What a CUDA device did, and the calls that caused it: kernels, copies, loading, waiting.",
      .options = kOptions.data(),
      .option_count = kOptions.size(),
      .reserved = 0};

  // [loop-thread] Throws std::runtime_error if an option's value is invalid.
  explicit CuptiSource(const Host& host);
  ~CuptiSource();
  CuptiSource(const CuptiSource&) = delete;
  CuptiSource& operator=(const CuptiSource&) = delete;

  // Listens to nothing if no plugin wants activities.
  bool listens_to(const char* id) const;

  void begin_run(const strata_when& when, const strata_run_info& run);
  void begin_step(const strata_when& when, const strata_step_info& step);
  void end_step(const strata_when& when, const strata_step_info& step, const strata_step_result& result);
  void end_run(const strata_when& when, std::uint32_t reason);
  void flush(std::uint32_t reason, std::int64_t deadline_ns);
  // [exiting] While devices can still be called: reports everything up to now, and nothing afterwards.
  void finish_before_exit();

  // Each returns whether CUPTI got the range; pass the result to its end.
  std::uint64_t begin_phase(const strata_when& when, const strata_phase_info& phase);
  void end_phase(const strata_when& when, const strata_phase_info& phase, std::uint64_t token);
  std::uint64_t begin_module(const strata_when& when, const strata_module_info& module);
  void end_module(const strata_when& when, const strata_module_info& module, std::uint64_t token);
  std::uint64_t begin_op(const strata_when& when, const strata_op_info& op);
  void end_op(const strata_when& when, const strata_op_info& op, std::uint64_t token);

 private:
  bool is_wanted_now() const;
  // Starts recording. If it cannot, logs why and does not try again.
  void start(std::int64_t now_ns);
  void start_with(std::unique_ptr<Subscription> subscription, std::int64_t now_ns);
  void refused(Regime regime, const std::string& holder, const std::string& reason, std::int64_t now_ns);
  void stop(std::int64_t deadline_ns);
  void write_row(std::int64_t end_ns);
  // Logs the recording's warnings.
  void say_warnings() const;
  void warn_of_copies() const;
  // Warns once if another profiler gets no events because CUPTI is exclusively ours.
  void warn_of_profiler();

  std::uint64_t push(const Origin& origin);
  void pop(const strata_when& when, std::uint64_t token);

  Host host_;
  const strata_emit_service* emit_;
  const Settings settings_;
  const bool is_wanted_;  // in the window
  std::optional<CaptureTable> captures_;
  std::optional<Library> library_;
  std::optional<TorchProfiler> profiler_;  // searched for when recording first begins
  std::unique_ptr<Origins> origins_;

  std::mutex
      mutex_;  // guards state changed by the driver and at process exit; `recording_` is read without it
  std::unique_ptr<Recording> owned_;
  // The recording that gets the ranges. Set and cleared while the driver has no open range; ranges of other
  // threads keep it open through `pushes_`.
  std::atomic<Recording*> recording_{nullptr};
  std::atomic<std::uint32_t> pushes_{0};
  std::atomic<std::uint64_t> generation_{0};  // counts recordings: a token of another recording is not popped
  std::atomic<bool> starves_profiler_{false};  // CUPTI is exclusively ours, and the user has not been warned
  std::atomic<bool> said_profiler_{false};
  bool is_for_whole_run_ = false;  // a plugin listens outside the window, too
  bool keeps_window_ = false;      // activities that ended before the window are not reported
  bool gave_up_ = false;
  bool said_busy_ = false;
  bool awaits_device_ = false;  // no step has ended since recording began
  std::int64_t begin_ns_ = 0;
  std::int64_t last_flush_ns_ = 0;
};

}  // namespace strata::cupti
