// SPDX-License-Identifier: Apache-2.0
// Pickles of snapshots for tests, entry by entry.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/export/snapshot/pickle.hpp"
#include "tests/export/text_output.hpp"

namespace strata::snapshot::testing {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

inline std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

struct Entry {
  std::string_view action;
  std::uint64_t address = 0, bytes = 0, stream = 0;
  std::string_view category = {}, user_metadata = {};
};

struct Block {
  std::uint64_t address = 0, bytes = 0, requested_bytes = 0;
  std::string_view state = "active_allocated";
};

struct Segment {
  std::uint64_t address = 0, bytes = 0;
  std::vector<Block> blocks = {};
  bool is_expandable = false;
};

struct Device {
  std::vector<Entry> trace = {};
  std::vector<Segment> segments = {};
};

class SnapshotPickle {
 public:
  explicit SnapshotPickle(const std::vector<Device>& devices) : buffer_(output_), pickle_(buffer_) {
    pickle_.begin_dict();
    pickle_.repeated("device_traces");
    pickle_.begin_list();
    for (const Device& device : devices) {
      pickle_.item();
      pickle_.begin_list();
      for (const Entry& entry : device.trace) write(entry);
      pickle_.end_list();
    }
    pickle_.end_list();
    pickle_.repeated("segments");
    pickle_.begin_list();
    for (std::size_t index = 0; index < devices.size(); ++index)
      for (const Segment& segment : devices[index].segments) write(index, segment);
    pickle_.end_list();
    pickle_.end_dict();
    pickle_.finish();
  }

  const std::string& text() const { return output_.text(); }

 private:
  void number(std::string_view key, std::uint64_t value) {
    pickle_.repeated(key);
    pickle_.integer(value);
  }
  void word(std::string_view key, std::string_view value) {
    pickle_.repeated(key);
    pickle_.repeated(value);
  }

  void write(const Entry& entry) {
    pickle_.item();
    pickle_.begin_dict();
    word("action", entry.action);
    number(entry.action == "oom" ? "device_free" : "addr", entry.address);
    number("size", entry.bytes);
    number("stream", entry.stream);
    number("time_us", ++time_us_);
    if (!entry.category.empty()) word("category", entry.category);
    if (!entry.user_metadata.empty()) word("user_metadata", entry.user_metadata);
    pickle_.end_dict();
  }

  void write(std::size_t device, const Segment& segment) {
    pickle_.item();
    pickle_.begin_dict();
    number("device", device);
    number("address", segment.address);
    number("total_size", segment.bytes);
    pickle_.repeated("is_expandable");
    pickle_.boolean(segment.is_expandable);
    pickle_.repeated("blocks");
    pickle_.begin_list();
    for (const Block& block : segment.blocks) {
      pickle_.item();
      pickle_.begin_dict();
      number("address", block.address);
      number("size", block.bytes);
      number("requested_size", block.requested_bytes);
      word("state", block.state);
      pickle_.end_dict();
    }
    pickle_.end_list();
    pickle_.end_dict();
  }

  exports::testing::TextOutput output_;
  exports::Buffer buffer_;
  exports::Pickle pickle_;
  std::uint64_t time_us_ = 1'700'000'000'000'000;
};

}  // namespace strata::snapshot::testing
