// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cupti/activities.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "dry_gpu/device/machine.hpp"

namespace strata::dry_gpu {
namespace {

// CUPTI gives numbers to calls, beginning with 1.
std::atomic<std::uint32_t> last_correlation = 0;
thread_local std::uint32_t current_correlation = 0;  // of the call that this thread is in
// The work submitted by the call: reported after the call, because clients read the records once and link
// each to a previous one.
thread_local std::vector<Record> work_of_call;
thread_local std::map<CUpti_ExternalCorrelationKind, std::vector<std::uint64_t>> external_ids;

// Kept for a client that does not flush: some 250 MiB.
constexpr std::size_t kMostRecords = std::size_t{1} << 20;

constexpr std::array kOfDevices = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                   CUPTI_ACTIVITY_KIND_MEMSET};
constexpr std::array kOfCalls = {CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};

// Kernels recorded one at a time: not distinguished here, so the two kinds are one.
CUpti_ActivityKind merged(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_KERNEL ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL : kind;
}

// The overhead of CUPTI itself: zero here, so there is no such record.
bool has_no_records(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_OVERHEAD;
}

}  // namespace

bool Activities::enable(CUpti_ActivityKind kind) {
  kind = merged(kind);
  if (has_no_records(kind)) return true;
  if (bytes_of(kind) == 0) return false;
  const std::scoped_lock lock(mutex_);
  if (enabled_.empty()) client_clock_.begin();
  enabled_.insert(kind);
  observe_if_wanted();
  return true;
}

bool Activities::disable(CUpti_ActivityKind kind) {
  kind = merged(kind);
  if (has_no_records(kind)) return true;
  if (bytes_of(kind) == 0) return false;
  const std::scoped_lock lock(mutex_);
  enabled_.erase(kind);
  observe_if_wanted();
  return true;
}

void Activities::observe_if_wanted() {
  const auto is_enabled = [&](CUpti_ActivityKind kind) { return enabled_.contains(kind); };
  records_calls = std::ranges::any_of(kOfCalls, is_enabled) || std::ranges::any_of(kOfDevices, is_enabled);
  clock_.observe(std::ranges::any_of(kOfDevices, is_enabled) ? this : nullptr);
}

void Activities::enable_function(CUpti_ActivityKind kind, CUpti_CallbackId function, bool is_enabled) {
  const std::scoped_lock lock(mutex_);
  if (is_enabled) {
    disabled_functions_[kind].erase(function);
  } else {
    disabled_functions_[kind].insert(function);
  }
}

void Activities::use_buffers(CUpti_BuffersCallbackRequestFunc request,
                             CUpti_BuffersCallbackCompleteFunc complete) {
  const std::scoped_lock lock(mutex_);
  request_ = request;
  complete_ = complete;
}

void Activities::use_timestamps(CUpti_TimestampCallbackFunc function) {
  const std::scoped_lock lock(mutex_);
  client_clock_.use(function);
}

std::uint64_t Activities::timestamp() {
  const std::scoped_lock lock(mutex_);
  return client_clock_.now();
}

void Activities::push_external(CUpti_ExternalCorrelationKind kind, std::uint64_t id) {
  external_ids[kind].push_back(id);
}

bool Activities::pop_external(CUpti_ExternalCorrelationKind kind, std::uint64_t* last) {
  std::vector<std::uint64_t>& ids = external_ids[kind];
  if (ids.empty()) return false;
  if (last != nullptr) *last = ids.back();
  ids.pop_back();
  return true;
}

std::uint32_t Activities::begin_call() {
  if (current_correlation != 0) return 0;  // inside another call
  current_correlation = last_correlation.fetch_add(1, std::memory_order_relaxed) + 1;
  return current_correlation;
}

void Activities::end_call(const CUpti_ActivityAPI& call) {
  current_correlation = 0;
  std::vector<Record> records;
  bool is_recorded = false;
  {
    const std::scoped_lock lock(mutex_);
    is_recorded = enabled_.contains(call.kind) && !disabled_functions_[call.kind].contains(call.cbid);
    if (is_recorded && enabled_.contains(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) {
      for (const auto& [kind, ids] : external_ids) {
        if (ids.empty()) continue;
        CUpti_ActivityExternalCorrelation correlation{};
        correlation.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
        correlation.externalKind = kind;
        correlation.externalId = ids.back();
        correlation.correlationId = call.correlationId;
        records.emplace_back(correlation);
      }
    }
  }
  if (is_recorded) {
    CUpti_ActivityAPI record = call;
    record.kind = call.kind;
    record.processId = static_cast<std::uint32_t>(getpid());
    record.threadId = static_cast<std::uint32_t>(syscall(SYS_gettid));
    records.emplace_back(record);
  }
  records.insert(records.end(), work_of_call.begin(), work_of_call.end());
  work_of_call.clear();
  if (!records.empty()) add(std::move(records));
}

void Activities::done(const Work& work, const Span& span, const CUstream_st& stream, std::int64_t offset_ns) {
  {
    const std::scoped_lock lock(mutex_);
    if (!enabled_.contains(kind_of(work))) return;
  }
  const std::uint32_t correlation = current_correlation != 0
                                        ? current_correlation
                                        : last_correlation.fetch_add(1, std::memory_order_relaxed) + 1;
  const Record record = record_of(work, {span.begin_ns + offset_ns, span.end_ns + offset_ns}, stream,
                                  correlation, launched_node());
  if (current_correlation != 0) {
    work_of_call.push_back(record);
  } else {
    add({record});
  }
}

// A client expects to be asked for a buffer before it flushes.
void Activities::add(std::vector<Record> records) {
  {
    const std::scoped_lock lock(mutex_);
    if (request_ == nullptr || records_.size() + records.size() > kMostRecords) {
      dropped_ += records.size();
      return;
    }
    records_.insert(records_.end(), records.begin(), records.end());
  }
  if (has_buffer_) return;
  const std::scoped_lock delivery(delivery_);
  if (buffer_.memory == nullptr) request_buffer();
}

void Activities::request_buffer() {
  buffer_ = {};
  has_buffer_ = true;
  request_(&buffer_.memory, &buffer_.bytes, &buffer_.most_records);
}

void Activities::complete_buffer() {
  const Buffer full = std::exchange(buffer_, {});
  has_buffer_ = false;
  if (full.memory != nullptr) complete_(nullptr, 0, full.memory, full.bytes, full.used);
}

void Activities::write(Record record, const ClientClock& clock) {
  convert_times(record, [&](std::uint64_t ns) { return clock.from_monotonic(ns); });
  const std::span<const std::byte> bytes = bytes_of(record);
  const auto has_room = [&] {
    const bool is_countless = buffer_.most_records == 0 || buffer_.records < buffer_.most_records;
    return buffer_.memory != nullptr && buffer_.used + bytes.size() <= buffer_.bytes && is_countless;
  };
  if (!has_room()) {
    complete_buffer();
    request_buffer();
    if (!has_room()) {
      const std::scoped_lock lock(mutex_);
      ++dropped_;
      return;
    }
  }
  std::memcpy(buffer_.memory + buffer_.used, bytes.data(), bytes.size());
  buffer_.used += bytes.size();
  ++buffer_.records;
}

// Unless forced, unfinished work stays.
void Activities::flush(bool is_forced) {
  const std::scoped_lock delivery(delivery_);
  std::deque<Record> ready;
  ClientClock clock;
  bool is_recording = false;
  {
    const std::scoped_lock lock(mutex_);
    if (request_ == nullptr) return;
    is_recording = !enabled_.empty();
    client_clock_.go_on();
    clock = client_clock_;
    const auto now = static_cast<std::uint64_t>(monotonic_ns());
    std::deque<Record> kept;
    for (const Record& record : records_) {
      const bool is_done = end_of(record).value_or(0) <= now;
      (is_forced || is_done ? ready : kept).push_back(record);
    }
    records_ = std::move(kept);
  }
  for (const Record& record : ready) write(record, clock);
  complete_buffer();
  // A client without an outstanding buffer may assume that no records will come, nor have come.
  if (is_recording) request_buffer();
}

std::uint64_t Activities::take_dropped() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(dropped_, 0);
}

Activities* activities() {
  const MachineState state = machine();
  if (state.machine == nullptr || state.is_forked || state.machine->clock() == nullptr) return nullptr;
  static Activities* const only =
      std::make_unique<Activities>(*state.machine->clock()).release();  // its clock is never destroyed either
  return only;
}

}  // namespace strata::dry_gpu
