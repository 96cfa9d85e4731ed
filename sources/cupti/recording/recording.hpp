// SPDX-License-Identifier: Apache-2.0
// One recording: from a subscription of CUPTI to its end, with the thread that reads the records.
//
// [loop-thread] but for what says otherwise. On the program's threads CUPTI calls back the buffers' two
// functions (buffers.hpp), and where device code is loaded or a graph is made (resources.hpp); not at a
// launch.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sources/cupti/recording/buffers.hpp"
#include "sources/cupti/records/record_decoder.hpp"
#include "sources/cupti/settings.hpp"
#include "sources/cupti/subscription/subscription.hpp"
#include "strata/ext/emit.h"
#include "strata/host.hpp"

namespace strata::cupti {

// What was asked of CUPTI and refused, or went wrong: sentences for the log.
using Warnings = std::vector<std::string>;

class Recording {
 public:
  // Enables what the settings say. `library` and `origins` outlive this. Throws std::runtime_error when
  // CUPTI's times cannot be told, or it takes no buffers.
  Recording(const Host& host, const Library& library, const Settings& settings, Origins& origins,
            std::unique_ptr<Subscription> subscription);
  // Ends it without asking for what is left.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Regime regime() const { return subscription_->regime(); }
  const std::string& refused_kinds() const { return refused_kinds_; }
  // Since the last such question.
  Warnings take_warnings() { return std::exchange(warnings_, {}); }

  // What was over before then is not told.
  void keep_from(std::int64_t monotonic_ns) { decoder_.keep_from(monotonic_ns); }

  // [any] What CUDA is called for on this thread, from here on; false: CUPTI refused.
  bool push(const Origin& origin) noexcept;
  void pop() noexcept;

  // Has CUPTI hand over what is done by now; it is told of when it has been read.
  void fetch();
  // The same, and it has been told of when this returns, by `deadline` at the latest.
  void flush(std::chrono::steady_clock::time_point deadline);
  // The same of everything that was submitted; nothing more is recorded.
  void finish(std::chrono::steady_clock::time_point deadline);
  // [exiting] What CUPTI has handed over reaches the listeners by then; CUPTI is not called.
  void wait_for_reader(std::chrono::steady_clock::time_point deadline);

  struct Sums {
    RecordCounts records;
    BufferCounts buffers;
    std::uint64_t dropped = 0;
    std::int64_t clock_uncertainty_ns = 0, clock_drift_ns = 0;
  };
  // After a flush, since the last such question.
  Sums take_sums();

 private:
  void stop();
  void disable();
  void hand_over(std::uint32_t flag);
  void enable(const Settings& settings);
  void enable_functions(const Kinds& kinds);
  void enable_resources(const Kinds& kinds);
  void refuse(const char* what, CUptiResult result);
  void report_modules();
  void read_buffers() noexcept;
  DecoderSetup decoder_setup(const Settings& settings);

  Host host_;
  const strata_emit_service* emit_;
  const Library& library_;
  const bool waits_for_devices_, finalizes_, records_calls_, follows_nodes_;
  Origins& origins_;
  std::unique_ptr<Subscription> subscription_;
  std::vector<CUpti_ActivityKind> enabled_;
  std::vector<CUpti_CallbackId> heard_;  // resources' events
  std::string refused_kinds_;
  Warnings warnings_;
  ClockMap clock_;
  std::mutex reading_;  // the decoder's
  RecordDecoder decoder_;
  std::uint64_t dropped_ = 0;
  std::thread reader_;
};

}  // namespace strata::cupti
