// SPDX-License-Identifier: Apache-2.0
// The activity records of this process: made from the modelled clock's work and from the calls that submit
// it, and kept until the client flushes them.
//
// Every time in a record of a device's work is modelled. While any of these kinds is enabled, the host's time
// on the modelled clock is the real one, so that a client can compare records with its own events.
//
// [any thread]: every function takes its lock, but calls the client's buffer functions without it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "dry_gpu/clock/clock.hpp"
#include "dry_gpu/cupti/client_clock.hpp"
#include "dry_gpu/cupti/record.hpp"

namespace strata::dry_gpu {

class Activities final : public WorkObserver {
 public:
  explicit Activities(Clock& clock) : clock_(clock) {}
  Activities(const Activities&) = delete;
  Activities& operator=(const Activities&) = delete;

  // False if records of that kind are not made here.
  bool enable(CUpti_ActivityKind kind);
  bool disable(CUpti_ActivityKind kind);
  void enable_function(CUpti_ActivityKind kind, CUpti_CallbackId function, bool is_enabled);

  void use_buffers(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
  void use_timestamps(CUpti_TimestampCallbackFunc function);
  std::uint64_t timestamp();

  // Per thread; false if nothing was pushed.
  static void push_external(CUpti_ExternalCorrelationKind kind, std::uint64_t id);
  static bool pop_external(CUpti_ExternalCorrelationKind kind, std::uint64_t* last);

  // A call of the runtime or the driver, on the calling thread; work submitted before its end gets its
  // number. 0: it is not recorded.
  std::uint32_t begin_call();
  void end_call(const CUpti_ActivityAPI& call);

  void flush(bool is_forced);
  std::uint64_t take_dropped();

 private:
  struct Buffer {
    std::uint8_t* memory = nullptr;
    std::size_t bytes = 0, used = 0, most_records = 0, records = 0;
  };

  void done(const Work& work, const Span& span, const CUstream_st& stream, std::int64_t offset_ns) override;
  void add(std::vector<Record> records);
  void request_buffer();
  void complete_buffer();
  void write(Record record, const ClientClock& clock);
  void observe_if_wanted();

  Clock& clock_;
  std::mutex mutex_;
  ClientClock client_clock_;
  CUpti_BuffersCallbackRequestFunc request_ = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete_ = nullptr;
  std::set<CUpti_ActivityKind> enabled_;
  std::map<CUpti_ActivityKind, std::set<CUpti_CallbackId>> disabled_functions_;
  std::deque<Record> records_;
  std::uint64_t dropped_ = 0;
  std::mutex delivery_;  // one thread at a time fills buffers; taken before the other lock
  Buffer buffer_;
  std::atomic<bool> has_buffer_ = false;
};

// Null if there is no modelled clock, and so nothing to record. Created by the first call, and never
// destroyed.
Activities* activities();

// Whether any calls are recorded: checked first by each launch.
inline std::atomic<bool> records_calls = false;

}  // namespace strata::dry_gpu
