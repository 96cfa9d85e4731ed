// SPDX-License-Identifier: Apache-2.0
// Decodes buffers of CUPTI records into activities.
//
// Device activities, and other consequences of a call, are reported with the call's op, phase and module. A
// record that arrives before that of its call is held until the call's arrives, at most kMostHeld of them.
// The runtime calls the driver: such driver records have the number of the runtime's call and are not
// reported in addition to it. A node of a graph has the phase of its launch, and the op and module under
// which it was created.
//
// For one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sources/cupti/records/clock_map.hpp"
#include "sources/cupti/records/correlations.hpp"
#include "sources/cupti/records/graph_nodes.hpp"
#include "sources/cupti/records/loaded_module.hpp"
#include "sources/cupti/records/record_names.hpp"
#include "sources/cupti/records/records.hpp"

namespace strata::cupti {

struct DecoderSetup {
  // Like cuptiActivityGetNextRecord, of the library that wrote the buffers.
  std::function<CUptiResult(std::uint8_t*, std::size_t, CUpti_Activity**)> next_record;
  Intern intern;
  CallbackName callback_name = nullptr;
  std::function<void(const strata_activity_event&)> tell;
  const ClockMap* clock = nullptr;
  const Origins* origins = nullptr;
  std::uint64_t first_origin = 0;           // smaller numbers belong to an earlier recording
  const GraphNodes* graph_nodes = nullptr;  // null: a node is reported like its launch
  bool records_calls = true;                // if not, no records are held
  // The driver functions to report, by number; their launched work is always reported. Empty: all.
  std::vector<bool> driver_functions = {};
  bool is_modelled = false;
};

// Counts of CUPTI's records by kind and problem, to check whether a timeline is complete.
struct RecordCounts {
  std::uint64_t activities = 0;  // reported
  std::uint64_t kernels = 0, graphs = 0, copies = 0, sets = 0, calls = 0;
  std::uint64_t launches = 0;           // calls whose kernel or graph must follow
  std::uint64_t answered_launches = 0;  // those whose kernel or graph was seen
  std::uint64_t without_times = 0;      // CUPTI could not time them: not reported
  std::uint64_t outside_window = 0;     // ended before the window began: not reported
  std::uint64_t without_call = 0;    // reported without op, phase and module, because their call was not seen
  std::uint64_t lost_origins = 0;    // the same, because their origin was already overwritten
  std::uint64_t other_records = 0;   // of kinds that are not reported
  std::uint64_t broken_buffers = 0;  // ended in an invalid record
  std::uint64_t skipped_bytes = 0;   // in those
};

class RecordDecoder {
 public:
  static constexpr std::size_t kMostHeld = std::size_t{1} << 16;

  explicit RecordDecoder(DecoderSetup setup);

  // Exceptions of the setup's functions pass through.
  void decode(std::span<std::uint8_t> buffer);
  // Reports the module at the time when it was loaded, on the run's clock.
  void tell(const LoadedModule& module);
  // Reports the records that are still held.
  void finish();
  // [any] Activities that ended before then are not reported.
  void keep_from(std::int64_t monotonic_ns) { keep_from_ns_.store(monotonic_ns, std::memory_order_relaxed); }
  RecordCounts take_counts();

 private:
  // The fields read from a record; empty if it is truncated.
  template <typename Record>
  static std::optional<Record> read(std::span<const std::uint8_t> rest);
  // Returns whether the record was complete.
  bool decode_record(CUpti_ActivityKind kind, std::span<const std::uint8_t> rest);
  template <typename Record>
  bool decode_as(std::span<const std::uint8_t> rest);

  void take(const DecodedRecord& decoded, const CUpti_ActivityAPI& record);
  void take(const DecodedRecord& decoded, const CUpti_ActivityOverhead3& record);
  template <typename Record>
  void take(const DecodedRecord& decoded, const Record& record);
  void take_external(const CUpti_ActivityExternalCorrelation& record);

  void time_and_hold(const DecodedRecord& decoded, strata_name name);
  // Times on the run's clock; empty if it has no times or ended before the window.
  std::optional<strata_activity_event> timed(const DecodedRecord& decoded, strata_name name);
  bool is_of_window(const strata_activity_event& event);
  void report_or_hold(strata_activity_event& event);
  // Called when a buffer has been read, and with it the runtime calls that these may be part of.
  void report_driver_calls();
  // Whether nothing more can be learnt about the event's call.
  bool complete(strata_activity_event& event) const;
  void report_held();
  void tell(const strata_activity_event& event);

  DecoderSetup setup_;
  RecordNames names_;
  Correlations correlations_;
  std::deque<strata_activity_event> held_;
  std::vector<strata_activity_event> driver_calls_;  // in this buffer
  std::map<std::uint32_t, std::int32_t> device_of_context_;
  std::atomic<std::int64_t> keep_from_ns_{0};
  RecordCounts counts_;
};

}  // namespace strata::cupti
