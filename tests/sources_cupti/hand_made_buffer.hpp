// SPDX-License-Identifier: Apache-2.0
// A buffer of CUPTI's records, written by hand, and what a decoder tells of it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sources/cupti/records/record_decoder.hpp"

namespace strata::cupti {

class HandMadeBuffer {
 public:
  template <typename Record>
  void add(const Record& record) {
    const auto* const bytes = static_cast<const std::uint8_t*>(static_cast<const void*>(&record));
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof record);
  }
  std::size_t bytes() const { return bytes_.size(); }
  std::span<std::uint8_t> span() { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

// What the decoder told, a line each: kind, name and what else is said of that kind.
class DecodedLines {
 public:
  // A decoder that steps with `next_record`, on a clock that is CLOCK_MONOTONIC's.
  DecoderSetup setup(decltype(DecoderSetup::next_record) next_record, CallbackName callback_name = nullptr);

  const std::vector<std::string>& lines() const { return lines_; }
  Origins& origins() { return origins_; }

 private:
  Origins origins_;
  ClockMap clock_;  // without a point
  std::deque<std::string> names_;
  std::vector<std::string> lines_;
};

std::string line_of(const strata_activity_event& event);

// The kinds that Strata asks CUPTI for and that have records of their own, one of each, of one call;
// `origin` is the number that was pushed.
HandMadeBuffer one_of_each(std::uint64_t origin);
std::vector<std::string> lines_of_one_of_each();

}  // namespace strata::cupti
