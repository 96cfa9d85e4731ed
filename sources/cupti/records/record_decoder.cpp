// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/record_decoder.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace strata::cupti {
namespace {

// Nanoseconds since 1970 that no record has: the year 2116.
constexpr std::uint64_t kLatest = std::uint64_t{1} << 62;

// For memory that CUPTI allocated and its client must free.
struct FreeData {
  void operator()(void* data) const { std::free(data); }
};

}  // namespace

RecordDecoder::RecordDecoder(DecoderSetup setup)
    : setup_(std::move(setup)), names_(setup_.intern, setup_.callback_name) {}

void RecordDecoder::decode(std::span<std::uint8_t> buffer) {
  CUpti_Activity* record = nullptr;
  std::size_t met = 0;
  const std::uint64_t calls = counts_.calls;
  while (true) {
    const CUptiResult result = setup_.next_record(buffer.data(), buffer.size(), &record);
    if (result == CUPTI_ERROR_MAX_LIMIT_REACHED) break;
    const auto* const begin = static_cast<const std::uint8_t*>(static_cast<const void*>(record));
    const bool is_inside =
        result == CUPTI_SUCCESS && begin >= buffer.data() + met && begin < buffer.data() + buffer.size();
    const auto rest = is_inside ? buffer.subspan(static_cast<std::size_t>(begin - buffer.data()))
                                : std::span<std::uint8_t>();
    if (!is_inside || rest.size() < sizeof(CUpti_ActivityKind) || !decode_record(record->kind, rest)) {
      ++counts_.broken_buffers;
      counts_.skipped_bytes += is_inside ? rest.size() : buffer.size() - met;
      break;
    }
    met = buffer.size() - rest.size() + sizeof(CUpti_ActivityKind);
  }
  report_driver_calls();
  if (counts_.calls != calls) report_held();
}

bool RecordDecoder::decode_record(CUpti_ActivityKind kind, std::span<const std::uint8_t> rest) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      ++counts_.kernels;
      return decode_as<CUpti_ActivityKernel10>(rest);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      ++counts_.copies;
      return decode_as<CUpti_ActivityMemcpy6>(rest);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      ++counts_.copies;
      return decode_as<CUpti_ActivityMemcpyPtoP4>(rest);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      ++counts_.sets;
      return decode_as<CUpti_ActivityMemset4>(rest);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      ++counts_.graphs;
      return decode_as<CUpti_ActivityGraphTrace2>(rest);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
    case CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API:
      ++counts_.calls;
      return decode_as<CUpti_ActivityAPI>(rest);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return decode_as<CUpti_ActivitySynchronization2>(rest);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return decode_as<CUpti_ActivityOverhead3>(rest);
    case CUPTI_ACTIVITY_KIND_MEMORY2:
      return decode_as<CUpti_ActivityMemory4>(rest);
    case CUPTI_ACTIVITY_KIND_MEMORY_POOL:
      return decode_as<CUpti_ActivityMemoryPool3>(rest);
    case CUPTI_ACTIVITY_KIND_JIT:
      return decode_as<CUpti_ActivityJit2>(rest);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto record = read<CUpti_ActivityExternalCorrelation>(rest);
      if (record) take_external(*record);
      return record.has_value();
    }
    case CUPTI_ACTIVITY_KIND_CONTEXT: {
      const auto record = read<CUpti_ActivityContext3>(rest);
      if (record) device_of_context_[record->contextId] = static_cast<std::int32_t>(record->deviceId);
      return record.has_value();
    }
    default:
      ++counts_.other_records;
      return true;
  }
}

template <typename Record>
std::optional<Record> RecordDecoder::read(std::span<const std::uint8_t> rest) {
  if (rest.size() < kRead<Record>) return std::nullopt;
  Record record{};
  std::memcpy(&record, rest.data(), kRead<Record>);
  return record;
}

template <typename Record>
bool RecordDecoder::decode_as(std::span<const std::uint8_t> rest) {
  const std::optional<Record> record = read<Record>(rest);
  if (record) take(decoded(*record), *record);
  return record.has_value();
}

template <typename Record>
void RecordDecoder::take(const DecodedRecord& decoded, const Record&) {
  const bool is_launched =
      decoded.event.kind == STRATA_ACTIVITY_KERNEL || decoded.event.kind == STRATA_ACTIVITY_GRAPH;
  if (is_launched && decoded.event.correlation != 0) {
    Call& call = correlations_.of(static_cast<std::uint32_t>(decoded.event.correlation));
    if (!std::exchange(call.is_answered, true) && call.launches) ++counts_.answered_launches;
  }
  if (decoded.event.context != 0 && decoded.event.device.type == STRATA_DEVICE_CUDA)
    device_of_context_[decoded.event.context] = decoded.event.device.index;
  time_and_hold(decoded, names_.of(decoded.name));
}

// A runtime call and the driver call inside it may have the same number: that is one launch. The order of
// their records is not specified.
void RecordDecoder::take(const DecodedRecord& decoded, const CUpti_ActivityAPI& record) {
  Call& call = correlations_.of(record.correlationId);
  call.is_over = true;
  call.thread = record.threadId;
  if (record.kind == CUPTI_ACTIVITY_KIND_RUNTIME) call.is_of_runtime = true;
  if ((decoded.event.detail & STRATA_API_LAUNCHES) != 0 && !std::exchange(call.launches, true)) {
    ++counts_.launches;
    if (call.is_answered) ++counts_.answered_launches;
  }
  if (record.kind != CUPTI_ACTIVITY_KIND_DRIVER || setup_.driver_functions.empty()) {
    time_and_hold(decoded, names_.of_call(record.kind, record.cbid));
    return;
  }
  if (record.cbid >= setup_.driver_functions.size() || !setup_.driver_functions[record.cbid]) return;
  if (auto event = timed(decoded, names_.of_call(record.kind, record.cbid))) driver_calls_.push_back(*event);
}

void RecordDecoder::report_driver_calls() {
  for (strata_activity_event& event : driver_calls_) {
    const Call* const call = correlations_.find(event.correlation);
    if (call == nullptr || !call->is_of_runtime) report_or_hold(event);
  }
  driver_calls_.clear();
}

void RecordDecoder::take(const DecodedRecord& decoded, const CUpti_ActivityOverhead3& record) {
  const std::unique_ptr<void, FreeData> data(record.overheadData);
  time_and_hold(decoded, {"", 0, 0});
}

void RecordDecoder::tell(const LoadedModule& module) {
  strata_activity_event event{};
  event.struct_size = sizeof event;
  event.kind = STRATA_ACTIVITY_MODULE;
  event.name = {"", 0, 0};
  event.begin_ns = event.end_ns = module.monotonic_ns;
  event.bytes = module.bytes;
  event.thread = module.thread;
  event.context = module.context;
  if (const auto known = device_of_context_.find(module.context); known != device_of_context_.end())
    event.device = {STRATA_DEVICE_CUDA, known->second};
  event.modelled = setup_.is_modelled ? 1 : 0;
  if (is_of_window(event)) tell(event);
}

void RecordDecoder::take_external(const CUpti_ActivityExternalCorrelation& record) {
  if (record.externalKind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2) return;
  if (setup_.origins == nullptr || record.externalId < setup_.first_origin) return;
  if (const auto origin = setup_.origins->find(record.externalId)) {
    correlations_.of(record.correlationId).origin = *origin;
  } else {
    ++counts_.lost_origins;
  }
}

bool RecordDecoder::is_of_window(const strata_activity_event& event) {
  if (event.end_ns >= keep_from_ns_.load(std::memory_order_relaxed)) return true;
  ++counts_.outside_window;
  return false;
}

std::optional<strata_activity_event> RecordDecoder::timed(const DecodedRecord& decoded, strata_name name) {
  if (decoded.start == 0 || decoded.end < decoded.start || decoded.end > kLatest) {
    ++counts_.without_times;
    return std::nullopt;
  }
  strata_activity_event event = decoded.event;
  event.name = name;
  event.op = STRATA_NONE;
  event.begin_ns = setup_.clock->to_monotonic(decoded.start);
  event.end_ns = event.begin_ns + static_cast<std::int64_t>(decoded.end - decoded.start);
  event.modelled = setup_.is_modelled ? 1 : 0;
  return is_of_window(event) ? std::optional(event) : std::nullopt;
}

void RecordDecoder::time_and_hold(const DecodedRecord& decoded, strata_name name) {
  if (auto event = timed(decoded, name)) report_or_hold(*event);
}

void RecordDecoder::report_or_hold(strata_activity_event& event) {
  if (complete(event)) {
    tell(event);
    return;
  }
  if (held_.size() == kMostHeld) {
    ++counts_.without_call;
    tell(held_.front());
    held_.pop_front();
  }
  held_.push_back(event);
}

bool RecordDecoder::complete(strata_activity_event& event) const {
  if (event.correlation == 0 || !setup_.records_calls) return true;
  const Call* const call = correlations_.find(event.correlation);
  if (call == nullptr || !call->is_over) return false;
  event.op = call->origin.op;
  event.phase = call->origin.phase;
  event.module = call->origin.module;
  if (event.graph_node != 0 && setup_.graph_nodes != nullptr) {
    if (const auto made = setup_.graph_nodes->origin_of(event.graph_node)) {
      event.op = made->op;
      event.module = made->module;
    }
  }
  const bool is_on_device = event.kind <= STRATA_ACTIVITY_SET || event.kind == STRATA_ACTIVITY_GRAPH;
  if (!is_on_device && event.thread == 0) event.thread = call->thread;
  return true;
}

void RecordDecoder::report_held() {
  std::erase_if(held_, [&](strata_activity_event& event) {
    if (!complete(event)) return false;
    tell(event);
    return true;
  });
}

void RecordDecoder::finish() {
  report_held();
  counts_.without_call += held_.size();
  for (const strata_activity_event& event : std::exchange(held_, {})) tell(event);
}

void RecordDecoder::tell(const strata_activity_event& event) {
  ++counts_.activities;
  setup_.tell(event);
}

RecordCounts RecordDecoder::take_counts() {
  return std::exchange(counts_, {});
}

}  // namespace strata::cupti
