// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/run/run_rows.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "strata/events.h"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"

namespace strata::snapshot {
namespace {

constexpr std::uint32_t kReportsItself = 1;  // of torch_cuda_allocator
constexpr std::uint32_t kNoEvent = 0;        // an action that only carries the count of handed out bytes
constexpr std::uint32_t kMostPositions = 4096;
constexpr std::size_t kMostOpenRanges = 4096;

// Readers take a larger one for a damaged store.
constexpr std::uint64_t kLargestAllocation = std::uint64_t{1} << 50;

// The number in "ProfilerStep#12", which torch.profiler names steps, or in "step 12", as Strata's export
// does.
std::int64_t step_number(std::string_view name) {
  for (const std::string_view beginning : {"ProfilerStep#", "step "}) {
    if (!name.starts_with(beginning)) continue;
    const std::string_view digits = name.substr(beginning.size());
    std::int64_t step = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), step);
    if (error == std::errc() && end == digits.data() + digits.size() && step >= 0) return step;
  }
  return -1;
}

}  // namespace

RunRows::RunRows(const Snapshot& snapshot, ConvertedRun& run)
    : snapshot_(snapshot),
      run_(run),
      tables_(run),
      devices_(snapshot.devices.size()),
      texts_(snapshot.texts.size(), kNone),
      written_stacks_(snapshot.stacks.size()),
      written_frames_(snapshot.frames.size()) {
  const CudaAllocatorRow row{run.intern("native"), kReportsItself};
  run.append(tables_.cuda_allocator, &row);
}

ConvertedMoment RunRows::next_moment() {
  ++now_.sequence;
  return now_;
}

std::uint32_t RunRows::text(std::uint32_t number) {
  if (number == kNone) return 0;
  std::uint32_t& id = texts_[number];
  if (id == kNone) id = run_.intern(snapshot_.texts[number]);
  return id;
}

void RunRows::write(std::uint32_t index, const MemoryEvent& event) {
  Device& device = devices_[index];
  const ConvertedMoment moment = next_moment();
  const EventRow row{.sequence = moment.sequence,
                     .monotonic_ns = moment.monotonic_ns,
                     .address = event.address,
                     .bytes = std::min(event.bytes, kLargestAllocation),
                     .stream = event.stream,
                     .pool = event.pool,
                     .device_handed_out_bytes = device.handed_out_bytes,
                     .op = device.open.empty() ? 0 : device.open.back().op,
                     .thread = 0,
                     .action = event.action,
                     .device_type = STRATA_DEVICE_CUDA,
                     .device_index = index,
                     .phase = 0,
                     .module = 0};
  run_.append(tables_.event, &row);
  ++events_;
  const bool is_allocation = event.action == STRATA_MEMORY_ALLOCATE;
  if (is_allocation) device.handed_out_bytes += std::min(event.whole_bytes, kLargestAllocation);
  if (event.action == STRATA_MEMORY_OUT_OF_MEMORY) {
    const FailureRow failure{row.sequence, row.bytes, event.device_free_bytes, row.device_type,
                             row.device_index};
    run_.append(tables_.failure, &failure);
  } else if (!is_allocation) {
    return;
  }
  if (event.stack != kNone) write_stack(moment.sequence, event.stack);
  if (event.note != 0) write_note(moment.sequence, snapshot_.notes[event.note]);
}

void RunRows::close_device(std::uint32_t index) {
  write(index, {.action = kNoEvent});
  --events_;
}

void RunRows::write_stack(std::uint64_t sequence, std::uint32_t stack) {
  has_stacks_ = true;
  const EventStackRow row{sequence, stack + 1, 0};
  run_.append(tables_.event_stack, &row);
  if (written_stacks_[stack]) return;
  written_stacks_[stack] = true;
  std::uint32_t position = 0;
  for (const std::uint32_t number : snapshot_.stacks[stack]) {
    if (position == kMostPositions) break;
    const PythonStackRow place{stack + 1, position++, number + 1, 0};
    run_.append(tables_.python_stack, &place);
    if (written_frames_[number]) continue;
    written_frames_[number] = true;
    const Frame& frame = snapshot_.frames[number];
    const bool is_unknown =
        snapshot_.texts[frame.file] == "??";  // torch's word for C++ without debug information
    const PythonFrameRow line{number + 1, text(frame.function), is_unknown ? 0 : text(frame.file),
                              frame.line};
    run_.append(tables_.python_frame, &line);
  }
}

void RunRows::write_note(std::uint64_t sequence, const Note& note) {
  if (note.category == kNone && note.user_metadata == kNone && note.compile_context == kNone) return;
  has_categories_ |= note.category != kNone;
  const NoteRow row{sequence, text(note.category), text(note.user_metadata), text(note.compile_context), 0};
  run_.append(tables_.note, &row);
}

// Steps are the process's, and a range is there for each device: the first one counts.
bool RunRows::mark_step(std::uint32_t index, const Annotation& annotation, std::string_view name) {
  const std::int64_t step = step_number(name);
  if (step < 0) return false;
  Device& device = devices_[index];
  if (annotation.begins && step > last_step_) {
    device.step = last_step_ = step;
    run_.begin_step(next_moment(), static_cast<std::uint64_t>(step));
  } else if (!annotation.begins && device.step == step) {
    device.step = -1;
    run_.end_step(next_moment(), static_cast<std::uint64_t>(step));
  }
  return true;
}

void RunRows::annotate(std::uint32_t index, const Annotation& annotation) {
  if (mark_step(index, annotation, snapshot_.texts[annotation.name])) return;
  std::vector<OpenRange>& open = devices_[index].open;
  if (!annotation.begins) {
    const auto found = std::find_if(open.rbegin(), open.rend(),
                                    [&](const OpenRange& range) { return range.name == annotation.name; });
    if (found != open.rend()) open.erase(std::next(found).base());
    return;
  }
  if (open.size() >= kMostOpenRanges) return;
  const ConvertedMoment moment = next_moment();
  const OpRow row{.sequence = moment.sequence,
                  .monotonic_ns = moment.monotonic_ns,
                  .op = moment.sequence,
                  .parent = open.empty() ? 0 : open.back().op,
                  .autograd_sequence = -1,
                  .forward_thread = 0,
                  .thread = 0,
                  .kind = STRATA_OP_USER,
                  .name = text(annotation.name),
                  .phase = 0,
                  .module = 0,
                  .reserved = 0};
  run_.append(tables_.op, &row);
  open.push_back({moment.sequence, annotation.name});
}

}  // namespace strata::snapshot
