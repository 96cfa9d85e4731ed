// SPDX-License-Identifier: Apache-2.0
// From buffers of CUPTI's records to activities.
//
// What a device did, and what a call led to, is told with the op, the phase and the module of the call: a
// record that comes before its call's is held until that is met, kMostHeld of them at most. The runtime calls
// the driver: what the driver records of that has the number of the runtime's call, and is not told beside
// it. A node of a graph has the phase of its launch, and the op and the module that it was made under.
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
#include "sources/cupti/records/record_counts.hpp"
#include "sources/cupti/records/record_names.hpp"
#include "sources/cupti/records/records.hpp"

namespace strata::cupti {

struct DecoderSetup {
  // As cuptiActivityGetNextRecord of the library that wrote the buffers.
  std::function<CUptiResult(std::uint8_t*, std::size_t, CUpti_Activity**)> next_record;
  Intern intern;
  CallbackName callback_name = nullptr;
  std::function<void(const strata_activity_event&)> tell;
  const ClockMap* clock = nullptr;
  const Origins* origins = nullptr;
  std::uint64_t first_origin = 0;           // numbers before it are of an earlier recording
  const GraphNodes* graph_nodes = nullptr;  // null: a node is told as its launch
  bool records_calls = true;                // else nothing is held
  // Which functions of the driver are told, by their numbers; what they launch is told in any case. Empty:
  // all.
  std::vector<bool> driver_functions = {};
  bool is_modelled = false;
};

class RecordDecoder {
 public:
  static constexpr std::size_t kMostHeld = std::size_t{1} << 16;

  explicit RecordDecoder(DecoderSetup setup);

  // Throws what the setup's functions throw.
  void decode(std::span<std::uint8_t> buffer);
  // At the time at which it was loaded, on the run's clock.
  void tell(const LoadedModule& module);
  // Tells what is held still.
  void finish();
  // [any] What was over before then is not told.
  void keep_from(std::int64_t monotonic_ns) { keep_from_ns_.store(monotonic_ns, std::memory_order_relaxed); }
  RecordCounts take_counts();

 private:
  // What is read of a record; nothing: it is cut off.
  template <typename Record>
  static std::optional<Record> read(std::span<const std::uint8_t> rest);
  // Whether it was whole.
  bool decode_record(CUpti_ActivityKind kind, std::span<const std::uint8_t> rest);
  template <typename Record>
  bool decode_as(std::span<const std::uint8_t> rest);

  void take(const DecodedRecord& decoded, const CUpti_ActivityAPI& record);
  void take(const DecodedRecord& decoded, const CUpti_ActivityOverhead3& record);
  template <typename Record>
  void take(const DecodedRecord& decoded, const Record& record);
  void take_external(const CUpti_ActivityExternalCorrelation& record);

  void time_and_hold(const DecodedRecord& decoded, strata_name name);
  // On the run's clock; nothing: it has no times, or was over before the window.
  std::optional<strata_activity_event> timed(const DecodedRecord& decoded, strata_name name);
  bool is_of_window(const strata_activity_event& event);
  void report_or_hold(strata_activity_event& event);
  // When the buffer has been read, and with it the runtime's calls that they may be a part of.
  void report_driver_calls();
  // Whether nothing more is to be learnt of the event's call.
  bool complete(strata_activity_event& event) const;
  void report_held();
  void tell(const strata_activity_event& event);

  DecoderSetup setup_;
  RecordNames names_;
  Correlations correlations_;
  std::deque<strata_activity_event> held_;
  std::vector<strata_activity_event> driver_calls_;  // of this buffer
  std::map<std::uint32_t, std::int32_t> device_of_context_;
  std::atomic<std::int64_t> keep_from_ns_{0};
  RecordCounts counts_;
};

}  // namespace strata::cupti
