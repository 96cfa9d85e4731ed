// SPDX-License-Identifier: Apache-2.0
// One recording: from a CUPTI subscription to its end, with the thread that reads the records.
//
// [loop-thread] unless stated otherwise. On the program's threads CUPTI calls only the two buffer functions
// (buffers.hpp), and callbacks when device code is loaded or a graph is made (resources.hpp); not at
// launches.
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
#include "sources/cupti/recording/settings.hpp"
#include "sources/cupti/recording/subscription.hpp"
#include "sources/cupti/records/record_decoder.hpp"
#include "strata/ext/emit.h"
#include "strata/host.hpp"

namespace strata::cupti {

// Requests that CUPTI refused, and other errors: sentences for the log.
using Warnings = std::vector<std::string>;

class Recording {
 public:
  // Enables what the settings request. `library` and `origins` outlive this. Throws std::runtime_error if
  // CUPTI's times cannot be converted or it does not accept our buffers.
  Recording(const Host& host, const Library& library, const Settings& settings, Origins& origins,
            std::unique_ptr<Subscription> subscription);
  // Ends it without requesting the remaining records.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  Regime regime() const { return subscription_->regime(); }
  const std::string& refused_kinds() const { return refused_kinds_; }
  // Warnings since the last call.
  Warnings take_warnings() { return std::exchange(warnings_, {}); }

  // Activities that ended before then are not reported.
  void keep_from(std::int64_t monotonic_ns) { decoder_.keep_from(monotonic_ns); }

  // [any] Sets the origin of CUDA calls on this thread from now on. False if CUPTI refused.
  bool push(const Origin& origin) noexcept;
  void pop() noexcept;

  // Makes CUPTI hand over finished records; they are reported once they have been read.
  void fetch();
  // The same, but returns after they were reported, or at `deadline`.
  void flush(std::chrono::steady_clock::time_point deadline);
  // The same for all submitted work; ends the recording.
  void finish(std::chrono::steady_clock::time_point deadline);
  // [exiting] Waits until the records handed over by CUPTI have reached the listeners; does not call CUPTI.
  void wait_for_reader(std::chrono::steady_clock::time_point deadline);

  struct Sums {
    RecordCounts records;
    BufferCounts buffers;
    std::uint64_t dropped = 0;
    std::int64_t clock_uncertainty_ns = 0, clock_drift_ns = 0;
  };
  // After a flush: sums since the last call.
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
  std::vector<CUpti_CallbackId> heard_;  // enabled resource events
  std::string refused_kinds_;
  Warnings warnings_;
  ClockMap clock_;
  std::mutex reading_;  // guards the decoder
  RecordDecoder decoder_;
  std::uint64_t dropped_ = 0;
  std::thread reader_;
};

}  // namespace strata::cupti
