// SPDX-License-Identifier: Apache-2.0
#include "host/export/snapshot/memory_viz.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/export/event_order.hpp"
#include "host/export/snapshot/block_texts.hpp"
#include "host/export/snapshot/pickle.hpp"
#include "host/export/snapshot/segments.hpp"

namespace strata::exports {
namespace {

// The begins and ends of steps and phases, in order.

struct Mark {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  bool begins = false;
  bool is_step = false;
  std::size_t index = 0;  // into Facts::steps or Facts::phases
};

template <typename Range>
void add_marks(const std::vector<Range>& intervals, bool is_step, std::vector<Mark>& marks) {
  for (std::size_t index = 0; index < intervals.size(); ++index) {
    const Range& interval = intervals[index];
    marks.push_back({interval.begin_sequence, interval.begin_ns, true, is_step, index});
    if (interval.end_sequence != UINT64_MAX)
      marks.push_back({interval.end_sequence, interval.end_ns, false, is_step, index});
  }
}

// By sequence. A range that never ended has no end.
std::vector<Mark> marks_of(const analysis::MemoryFacts& facts) {
  std::vector<Mark> marks;
  add_marks(facts.steps, true, marks);
  add_marks(facts.phases, false, marks);
  std::ranges::stable_sort(marks, {}, &Mark::sequence);
  return marks;
}

using analysis::Block;
using analysis::Facts;

constexpr std::uint64_t kLargestSmallSegment = 2 << 20;  // c10's kSmallBuffer

// torch writes its categories in lower case, and memory_viz knows "unknown".
std::string lower_case(analysis::Category category) {
  std::string name = to_string(category);
  std::ranges::transform(name, name.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return name;
}

std::uint64_t device_index(const Facts& facts) {
  constexpr std::string_view kCuda = "cuda:";
  const std::string_view device = facts.device;
  std::uint64_t index = 0;
  if (device.starts_with(kCuda))
    std::from_chars(device.data() + kCuda.size(), device.data() + device.size(), index);
  return index;
}

class Snapshot {
 public:
  Snapshot(const Facts& facts, Output& output, const Progress& progress)
      : facts_(facts),
        layout_(segments_at_end(facts)),
        device_(device_index(facts)),
        rows_(progress, count_events(facts)),
        buffer_(output),
        pickle_(buffer_),
        texts_(facts, pickle_) {}

  void write() {
    pickle_.begin_dict();
    pickle_.repeated("device_traces");
    write_traces();
    pickle_.repeated("segments");
    write_segments();
    pickle_.repeated("external_annotations");
    write_annotations();
    pickle_.repeated("allocator_settings");
    pickle_.begin_dict();
    pickle_.end_dict();
    pickle_.repeated("strata");
    write_origin();
    pickle_.end_dict();
    pickle_.finish();
  }

 private:
  void number(std::string_view key, std::uint64_t value) {
    pickle_.repeated(key);
    pickle_.integer(value);
  }

  void word(std::string_view key, std::string_view value) {
    pickle_.repeated(key);
    pickle_.repeated(value);
  }

  std::uint64_t microseconds(std::int64_t ns) const {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(ns - facts_.begin_ns, 0) / 1000);
  }

  void write_traces() {
    pickle_.begin_list();
    for (std::uint64_t device = 0; device <= device_; ++device) {
      pickle_.item();
      pickle_.begin_list();
      if (device == device_) write_trace();
      pickle_.end_list();
    }
    pickle_.end_list();
  }

  void write_trace() {
    write_legend();
    for_each_event(facts_, [&](const Event& event) {
      rows_.add();
      if (event.kind == Event::Kind::kSegment) return write_segment_event(facts_.reserved[event.index]);
      const Block& block = facts_.blocks[event.index];
      if (event.kind == Event::Kind::kAllocate) return write_alloc(block);
      write_free("free_requested", block);
      write_free("free_completed", block);
    });
  }

  // memory_viz gives colours in the order in which it meets categories, and fails where it meets some and
  // none of them is "unknown".
  void write_legend() {
    for (std::size_t category = 0; category < analysis::kCategories; ++category) {
      begin_entry("snapshot", 0, 0, facts_.begin_ns);
      word("category", lower_case(static_cast<analysis::Category>(category)));
      pickle_.end_dict();
    }
  }

  void begin_entry(std::string_view action, std::uint64_t address, std::uint64_t bytes, std::int64_t ns) {
    pickle_.item();
    pickle_.begin_dict();
    word("action", action);
    number("addr", address);
    number("size", bytes);
    number("stream", 0);
    number("time_us", microseconds(ns));
  }

  void write_alloc(const Block& block) {
    begin_entry("alloc", block.address, block.bytes, block.birth_ns);
    word("category", lower_case(block.category));
    pickle_.repeated("frames");
    texts_.frames(block);
    pickle_.repeated("user_metadata");
    texts_.metadata(block);
    pickle_.end_dict();
  }

  void write_free(std::string_view action, const Block& block) {
    begin_entry(action, block.address, block.bytes, block.death_ns);
    pickle_.repeated("frames");
    texts_.frames(block);
    pickle_.end_dict();
  }

  void write_segment_event(const analysis::ReservedPoint& point) {
    if (point.segment_address == analysis::kNoSegment) return;
    const bool grows = point.change_bytes > 0;
    const std::string_view action = layout_.expandable ? (grows ? "segment_map" : "segment_unmap")
                                                       : (grows ? "segment_alloc" : "segment_free");
    begin_entry(action, point.segment_address, static_cast<std::uint64_t>(std::abs(point.change_bytes)),
                point.ns);
    pickle_.end_dict();
  }

  void write_segments() {
    pickle_.begin_list();
    for (const Segment& segment : layout_.segments) {
      pickle_.item();
      pickle_.begin_dict();
      number("device", device_);
      number("address", segment.address);
      number("total_size", segment.bytes);
      number("allocated_size", segment.allocated_bytes);
      number("active_size", segment.allocated_bytes);
      number("requested_size", segment.allocated_bytes);
      number("stream", 0);
      word("segment_type", segment.bytes > kLargestSmallSegment ? "large" : "small");
      pickle_.repeated("segment_pool_id");
      pickle_.pair(0, 0);
      pickle_.repeated("is_expandable");
      pickle_.boolean(layout_.expandable);
      write_no_frames();
      pickle_.repeated("blocks");
      write_pieces(segment);
      pickle_.end_dict();
    }
    pickle_.end_list();
  }

  void write_no_frames() {
    pickle_.repeated("frames");
    pickle_.begin_list();
    pickle_.end_list();
  }

  void write_pieces(const Segment& segment) {
    std::uint64_t address = segment.address;
    pickle_.begin_list();
    for (const Piece& piece : segment.pieces) {
      const bool is_free = piece.block == Piece::kFree;
      pickle_.item();
      pickle_.begin_dict();
      number("address", address);
      number("size", piece.bytes);
      number("requested_size", is_free ? 0 : piece.bytes);
      word("state", is_free ? "inactive" : "active_allocated");
      if (is_free) {
        write_no_frames();
      } else {
        pickle_.repeated("frames");
        texts_.frames(facts_.blocks[piece.block]);
      }
      pickle_.end_dict();
      address += piece.bytes;
    }
    pickle_.end_list();
  }

  // No key of torch's: which run this is.
  void write_origin() {
    pickle_.begin_dict();
    word("run", facts_.name);
    word("device", facts_.device);
    word("dry", facts_.dry ? facts_.dry->profile : "");
    pickle_.end_dict();
  }

  void write_annotations() {
    pickle_.begin_list();
    for (const Mark& mark : marks_of(facts_)) {
      pickle_.item();
      pickle_.begin_dict();
      pickle_.repeated("name");
      if (mark.is_step) {
        pickle_.text(fmt::format("step {}", facts_.steps[mark.index].index));
      } else {
        pickle_.repeated(facts_.phases[mark.index].name);
      }
      word("stage", mark.begins ? "START" : "END");
      number("device", device_);
      number("time_us", microseconds(mark.ns));
      pickle_.end_dict();
    }
    pickle_.end_list();
  }

  const Facts& facts_;
  SegmentLayout layout_;
  std::uint64_t device_;
  RowCount rows_;
  Buffer buffer_;
  Pickle pickle_;
  BlockTexts texts_;
};

}  // namespace

void write_memory_viz(const Facts& facts, Output& output, const Progress& progress) {
  Snapshot(facts, output, progress).write();
}

}  // namespace strata::exports
