// SPDX-License-Identifier: Apache-2.0
// A hand-made buffer of CUPTI's records, and the decoder's output for it.
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

// The decoder's output, one line per event: kind, name and the properties of that kind.
class DecodedLines {
 public:
  // A decoder that steps with `next_record`, on a clock equal to CLOCK_MONOTONIC.
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

// One record of each kind that Strata enables in CUPTI and that has its own record type, all of one call;
// `origin` is the pushed number.
HandMadeBuffer one_of_each(std::uint64_t origin);
std::vector<std::string> lines_of_one_of_each();

}  // namespace strata::cupti
