// SPDX-License-Identifier: Apache-2.0
// Buffers with CUPTI's records of any kind, length and content. Nothing is read beyond a buffer, no record
// is emitted twice or lost uncounted, and each emitted one has a name and does not end before it begins.
//
// The first byte of an input is the settings; then come records: kind, step, length in 8 bytes (a byte
// each), content. The step says how the library continues: correctly, outside the buffer, back, or not at
// all.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sources/cupti/records/record_decoder.hpp"
#include "tests/fuzz/target.hpp"

namespace strata::fuzz {
namespace {

using namespace strata::cupti;

constexpr std::uint8_t kKinds = 60;  // more than CUPTI has
constexpr std::size_t kRecordsInABuffer = 16;

enum Step : std::uint8_t { kOn, kBeyond, kBack, kSame, kNone, kError, kSteps };

struct Record {
  std::uint8_t kind = 0, step = 0;
  std::span<const std::uint8_t> content;
};

std::vector<Record> records_of(std::span<const std::uint8_t> input) {
  std::vector<Record> records;
  while (input.size() >= 3) {
    const std::size_t bytes = std::min<std::size_t>(std::size_t{8} * (input[2] % 48), input.size() - 3);
    records.push_back({static_cast<std::uint8_t>(input[0] % kKinds),
                       static_cast<std::uint8_t>(input[1] % kSteps), input.subspan(3, bytes)});
    input = input.subspan(3 + bytes);
  }
  return records;
}

// One buffer, and the library's answers about the positions of its records.
class Buffer {
 public:
  explicit Buffer(std::span<const Record> records) : records_(records) {
    for (const Record& record : records) {
      places_.push_back(bytes_.size());
      bytes_.insert(bytes_.end(), record.content.begin(), record.content.end());
    }
    // Enumerations of C have at most 31 bits.
    for (std::size_t high = 3; high < bytes_.size(); high += 4) bytes_[high] &= 0x7f;
  }

  // Exactly as large as declared, so that a sanitizer detects a read beyond it.
  std::span<std::uint8_t> bytes() { return bytes_; }

  CUptiResult next(CUpti_Activity** record) {
    if (next_ == records_.size()) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    const std::size_t at = next_++;
    const auto go_to = [&](std::size_t place) {
      *record = static_cast<CUpti_Activity*>(static_cast<void*>(bytes_.data() + place));
      return CUPTI_SUCCESS;
    };
    switch (records_[at].step) {
      case kOn:
        finish(at);
        return go_to(places_[at]);
      case kBeyond:
        return go_to(bytes_.size());
      case kBack:
        finish(0);
        return go_to(0);
      case kSame:
        return CUPTI_SUCCESS;
      case kNone:
        *record = nullptr;
        return CUPTI_SUCCESS;
      default:
        return CUPTI_ERROR_INVALID_KIND;
    }
  }

 private:
  // Writes the record's kind and its pointers, which are CUPTI's own memory and must be valid. A record may
  // be shorter than its kind, and continue in the following ones.
  void finish(std::size_t at) {
    const std::size_t place = places_[at], left = bytes_.size() - place;
    const std::uint32_t kind = records_[at].kind;
    const auto put = [&](std::size_t offset, const auto& value) {
      if (offset + sizeof value <= left) std::memcpy(bytes_.data() + place + offset, &value, sizeof value);
    };
    const char* const text = "a kernel's name";
    put(0, kind);
    if (kind == CUPTI_ACTIVITY_KIND_KERNEL || kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      put(offsetof(CUpti_ActivityKernel10, name), text);
    if (kind == CUPTI_ACTIVITY_KIND_JIT) put(offsetof(CUpti_ActivityJit2, cachePath), text);
    if (kind == CUPTI_ACTIVITY_KIND_MEMORY2) put(offsetof(CUpti_ActivityMemory4, name), text);
    if (kind == CUPTI_ACTIVITY_KIND_OVERHEAD) {
      // The decoder frees it, but only for a complete record that it has not seen before.
      const bool is_freed = left >= kRead<CUpti_ActivityOverhead3> && place >= met_;
      void* const data = is_freed ? std::malloc(8) : nullptr;
      put(offsetof(CUpti_ActivityOverhead3, overheadData), data);
    }
    met_ = std::max(met_, place + sizeof kind);
  }

  std::span<const Record> records_;
  std::vector<std::size_t> places_;
  std::vector<std::uint8_t> bytes_;
  std::size_t next_ = 0, met_ = 0;
};

void require_valid(const strata_activity_event& event) {
  expect(event.kind >= STRATA_ACTIVITY_KERNEL && event.kind <= STRATA_ACTIVITY_JIT,
         "an activity is of some kind");
  expect(event.name.text != nullptr, "a name has a text");
  expect(event.begin_ns <= event.end_ns, "an activity does not end before it begins");
}

// Numbers 1 to 4; built once because it is large.
const Origins& four_origins() {
  static const std::unique_ptr<const Origins> four = [] {
    auto origins = std::make_unique<Origins>();
    for (std::uint32_t origin = 0; origin < 4; ++origin)
      origins->note({.op = origin, .phase = 1, .module = 2});
    return origins;
  }();
  return *four;
}

void decode(std::uint8_t settings, std::span<const Record> records) {
  std::deque<std::string> names;
  const ClockMap clock;
  std::uint64_t told = 0;
  Buffer* current = nullptr;
  RecordDecoder decoder(
      {.next_record = [&](std::uint8_t*, std::size_t,
                          CUpti_Activity** record) { return current->next(record); },
       .intern =
           [&](std::string_view text) {
             names.emplace_back(text);
             return strata_name{names.back().c_str(), static_cast<std::uint32_t>(names.size()), 0};
           },
       .callback_name = nullptr,
       .tell =
           [&](const strata_activity_event& event) {
             ++told;
             require_valid(event);
           },
       .clock = &clock,
       .origins = &four_origins(),
       .first_origin = settings & 1u,
       .records_calls = (settings & 2u) == 0,
       .is_modelled = (settings & 4u) != 0});
  if ((settings & 8u) != 0) decoder.keep_from(std::int64_t{1} << 40);
  std::uint64_t counted = 0;
  while (!records.empty()) {
    const std::size_t count = std::min(records.size(), kRecordsInABuffer);
    Buffer buffer(records.first(count));
    current = &buffer;
    decoder.decode(buffer.bytes());
    counted += decoder.take_counts().activities;
    records = records.subspan(count);
  }
  decoder.finish();
  counted += decoder.take_counts().activities;
  expect(counted == told, "all that is counted is told");
}

}  // namespace
}  // namespace strata::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::vector<strata::fuzz::Record> records = strata::fuzz::records_of({data + 1, size - 1});
  strata::fuzz::decode(data[0], records);
  return 0;
}
