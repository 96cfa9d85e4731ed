// SPDX-License-Identifier: Apache-2.0
// The parts of a session and the order of their lifetimes.
//
// Never freed: it outlives the Session until the process ends, because a thread inside an event, or a late
// hook of a source, still has a host handle that leads here.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/runtime/clock.hpp"
#include "host/runtime/events/fan_out.hpp"
#include "host/runtime/events/hang_watch.hpp"
#include "host/runtime/events/loop_inference.hpp"
#include "host/runtime/events/loop_thread.hpp"
#include "host/runtime/events/loop_thread_marks.hpp"
#include "host/runtime/events/optimizer_watchers.hpp"
#include "host/runtime/events/session_faults.hpp"
#include "host/runtime/events/window_schedule.hpp"
#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/plugins/load_report.hpp"
#include "host/runtime/plugins/loader.hpp"
#include "host/runtime/plugins/plugin_instance.hpp"
#include "host/runtime/process_life.hpp"
#include "host/runtime/recording/artifact.hpp"
#include "host/runtime/recording/recorder.hpp"
#include "host/runtime/session/manifest.hpp"
#include "host/runtime/store/names.hpp"
#include "host/runtime/store/store.hpp"
#include "strata/runtime/session.hpp"

namespace strata {

class __attribute__((visibility("hidden"))) Session::Implementation final : public ProcessLife {
 public:
  // Throws as Session's constructor.
  static std::unique_ptr<Implementation> make(SessionOptions options);
  ~Implementation() = default;
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  // Ends the run, destroys the plugins unless the process is `exiting` or a thread is still inside one,
  // closes the store, writes the manifest. Once.
  void finish(RunEnd reason, bool exiting) noexcept;

  void process_exiting() noexcept override { finish(RunEnd::kExited, true); }
  void forked_child() noexcept override;

  void begin_run();
  void describe(std::string_view section, std::string_view json);
  std::vector<PluginStatus> plugins() const;
  std::string lost() const { return store_ == nullptr ? std::string() : store_->lost(); }
  bool wants_tensors() const noexcept { return wants_tensors_; }
  bool plugins_want_modules() const noexcept { return plugins_want_modules_; }

  LoopThread& loop_thread() noexcept { return loop_thread_; }
  // Null if the trainer marks its whole loop, and in a forked child, where another thread of the parent may
  // have left it locked.
  LoopInference* inference() noexcept { return parts_.disarmed.load() ? nullptr : parts_.inference; }
  OptimizerWatchers& optimizer_watchers() noexcept { return optimizer_watchers_; }
  FanOut& fan_out() noexcept { return fan_out_; }
  Names& names() noexcept { return names_; }
  const WindowSchedule& schedule() const noexcept { return schedule_; }

 private:
  Implementation(SessionOptions options, std::vector<ChosenPlugin> chosen, LoadReport& report);
  void start_plugins(std::vector<ChosenPlugin> chosen, LoadReport& report);
  void destroy_plugins() noexcept;
  // The session cannot be opened: undoes the parts that were.
  void give_up_opening() noexcept;
  void describe_begin();
  void describe_end(RunEnd reason);
  void write_manifest() noexcept;

  const SessionOptions options_;
  const WindowSchedule schedule_;
  SessionFaults faults_;
  FanOut fan_out_;
  LoopThread loop_thread_;
  ClockSamples clock_;
  Manifest manifest_;
  HangWatch hangs_;                       // checked by the store's writer until it ends
  std::unique_ptr<Store> store_;          // null without a directory
  std::unique_ptr<Artifacts> artifacts_;  // null without a directory
  Names names_;
  OptimizerWatchers optimizer_watchers_;
  LoopThreadMarks loop_thread_marks_;
  LoopInference inference_;
  HostParts parts_;
  std::optional<Recorder> recorder_;
  std::vector<std::unique_ptr<PluginInstance>> instances_;  // in load order: plugins, then sources
  bool wants_tensors_ = false;
  bool plugins_want_modules_ = false;
  std::atomic<bool> finished_{false};
};

}  // namespace strata
