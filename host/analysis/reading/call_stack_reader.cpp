// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/table_readers.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "host/analysis/facts/call_stacks.hpp"
#include "host/analysis/reading/store_file.hpp"

namespace strata::analysis {
namespace {

// Reads the Python stacks of a run store, and which event was made under which.

struct PythonStacks {
  // The frames of each stack, innermost first.
  std::vector<std::vector<PythonFrame>> stacks;
  std::vector<TakenStack> events;  // by sequence, at most one for each: indices into `stacks`

  std::uint32_t at(std::uint64_t sequence) const {
    const auto found = std::ranges::lower_bound(events, sequence, {}, &TakenStack::sequence);
    return found == events.end() || found->sequence != sequence ? CallStacks::kNoPython : found->stack;
  }
};

// By sequence, the first of several for the same event.
void put_in_order(std::vector<TakenStack>& taken) {
  std::ranges::stable_sort(taken, {}, &TakenStack::sequence);
  // Not std::ranges::unique: clang 14 can't compile what that returns with libstdc++ 12.
  const auto same_event = [](const TakenStack& first, const TakenStack& next) {
    return first.sequence == next.sequence;
  };
  taken.erase(std::unique(taken.begin(), taken.end(), same_event), taken.end());
}

constexpr std::size_t kDeepestPythonStack = 4096;

// Empty if the run took none. Invalid rows are skipped, with one call of `warn` per kind.
PythonStacks read_python_stacks(const StoreFile& file,
                                const std::function<std::string(const Row&, int column)>& text,
                                const std::function<void(const std::string&)>& warn) {
  // They are declared together, so a store has all or none; a damaged one may have some.
  for (const char* table : {"torch_python_frame", "torch_python_stack", "torch_event_python_stack"})
    if (!file.has_table(table)) return {};

  std::unordered_map<std::uint64_t, PythonFrame> frames;
  for (Query query(file, "torch_python_frame", {"frame", "function", "file", "line"}); query.next();)
    frames.try_emplace(query.row().bits(0),
                       PythonFrame{text(query.row(), 1), text(query.row(), 2), query.row().small(3)});

  PythonStacks python;
  std::unordered_map<std::uint64_t, std::uint32_t> index;  // by the store's number
  std::uint64_t strange_frames = 0, unknown_frames = 0, unknown_stacks = 0;
  for (Query query(file, "torch_python_stack", {"stack", "position", "frame"}); query.next();) {
    const std::uint32_t position = query.row().small(1);
    if (position >= kDeepestPythonStack) {
      ++strange_frames;
      continue;
    }
    const auto frame = frames.find(query.row().bits(2));
    if (frame == frames.end()) {
      ++unknown_frames;
      continue;
    }
    const auto [found, is_new] =
        index.try_emplace(query.row().bits(0), static_cast<std::uint32_t>(python.stacks.size()));
    if (is_new) python.stacks.emplace_back();
    std::vector<PythonFrame>& stack = python.stacks[found->second];
    if (stack.size() <= position) stack.resize(position + 1);
    stack[position] = frame->second;
  }
  for (std::vector<PythonFrame>& stack : python.stacks)
    std::erase_if(stack,
                  [](const PythonFrame& frame) { return frame.function.empty() && frame.file.empty(); });

  for (Query query(file, "torch_event_python_stack", {"sequence", "stack"}); query.next();) {
    const auto stack = index.find(query.row().bits(1));
    if (stack == index.end())
      ++unknown_stacks;
    else
      python.events.push_back({query.row().bits(0), stack->second, 1.0});
  }
  put_in_order(python.events);

  const auto say = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) warn(fmt::format("{} {}", count, what));
  };
  say(unknown_stacks, "events refer to a Python stack that is missing from the store");
  say(unknown_frames, "frames of Python stacks refer to lines that are missing from the store");
  say(strange_frames, "frames of Python stacks have a position beyond the largest depth of a stack");
  return python;
}

constexpr std::size_t kMostFrames = 4096;

class CallStackReader {
 public:
  explicit CallStackReader(const StoreFile& file) : file_(file) {}

  void read_frames() {
    for (Query query(file_, "allocator_tracer_stack_frame", {"stack", "position", "address"});
         query.next();) {
      const std::uint32_t position = query.row().small(1);
      if (position >= kMostFrames) {
        ++strange_frames_;
        continue;
      }
      const auto [found, is_new] =
          index_.try_emplace(query.row().bits(0), static_cast<std::uint32_t>(stacks_.addresses.size()));
      if (is_new) stacks_.addresses.emplace_back();
      // A frame that was never written is left as 0: it has no name, and those around it keep theirs.
      std::vector<std::uint64_t>& addresses = stacks_.addresses[found->second];
      if (addresses.size() <= position) addresses.resize(position + 1);
      addresses[position] = query.row().bits(2);
    }
  }

  void read_events() {
    for (Query query(file_, "allocator_tracer_event_stack", {"sequence", "stack", "chance"}); query.next();) {
      const double chance = query.row().real(2);
      const auto stack = index_.find(query.row().bits(1));
      if (stack == index_.end()) {
        ++unknown_stacks_;
      } else if (!(chance > 0 && chance <= 1)) {
        ++strange_chances_;
      } else {
        stacks_.taken.push_back({query.row().bits(0), stack->second, chance});
      }
    }
    put_in_order(stacks_.taken);
  }

  // Each event's addresses and Python frames are one stack from here on.
  void join_python(PythonStacks python) {
    stacks_.python = std::move(python.stacks);
    std::vector<bool> is_used(stacks_.addresses.size());
    stacks_.python_of.assign(stacks_.addresses.size(), CallStacks::kNoPython);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> joined;
    for (TakenStack& taken : stacks_.taken) {
      const std::uint32_t number = python.at(taken.sequence);
      const auto [found, is_new] = joined.try_emplace({taken.stack, number}, taken.stack);
      if (is_new && is_used[taken.stack]) {
        found->second = static_cast<std::uint32_t>(stacks_.addresses.size());
        std::vector<std::uint64_t> addresses = stacks_.addresses[taken.stack];
        stacks_.addresses.push_back(std::move(addresses));
        stacks_.python_of.push_back(number);
      } else if (is_new) {
        is_used[taken.stack] = true;
        stacks_.python_of[taken.stack] = number;
      }
      taken.stack = found->second;
    }
  }

  // Of a run without addresses, such as a converted snapshot: its stacks have no other frames.
  void read_python_only(PythonStacks stacks) {
    stacks_.python = std::move(stacks.stacks);
    stacks_.addresses.resize(stacks_.python.size());
    stacks_.python_of.resize(stacks_.python.size());
    for (std::uint32_t stack = 0; stack < stacks_.python_of.size(); ++stack) stacks_.python_of[stack] = stack;
    stacks_.taken = std::move(stacks.events);
  }

  void read_libraries(const std::function<std::string(const Row&, int)>& text) {
    for (Query query(file_, "allocator_tracer_library",
                     {"path", "build_id", "base", "begin_address", "end_address", "modified_ns"});
         query.next();) {
      const Row& row = query.row();
      LoadedLibrary library{text(row, 0), text(row, 1), row.integer(5),
                            row.bits(2),  row.bits(3),  row.bits(4)};
      if (library.begin < library.end && library.base <= library.begin)
        stacks_.libraries.push_back(std::move(library));
      else
        ++strange_libraries_;
    }
  }

  CallStacks finish(const std::function<void(const std::string&)>& warn) && {
    const auto say = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) warn(fmt::format("{} {}", count, what));
    };
    say(unknown_stacks_, "events refer to a stack that is missing from the store");
    say(strange_chances_, "stacks have an invalid probability of being recorded, and are left out");
    say(strange_frames_, "frames of stacks have a position beyond the largest depth of a stack");
    say(strange_libraries_, "libraries have an invalid address range, and are left out");
    return std::move(stacks_);
  }

 private:
  const StoreFile& file_;
  CallStacks stacks_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::uint64_t unknown_stacks_ = 0, strange_chances_ = 0, strange_frames_ = 0, strange_libraries_ = 0;
};

}  // namespace

CallStacks read_call_stacks(const StoreFile& file,
                            const std::function<std::string(const Row&, int column)>& text,
                            const std::function<void(const std::string&)>& warn) {
  CallStackReader reader(file);
  // They are declared together, so a store has all or none; a damaged one may have some.
  if (file.has_table("allocator_tracer_stack_frame")) reader.read_frames();
  const bool has_addresses = file.has_table("allocator_tracer_event_stack");
  if (has_addresses) reader.read_events();
  if (PythonStacks python = read_python_stacks(file, text, warn); !python.events.empty()) {
    if (has_addresses)
      reader.join_python(std::move(python));
    else
      reader.read_python_only(std::move(python));
  }
  if (file.has_table("allocator_tracer_library")) reader.read_libraries(text);
  return std::move(reader).finish(warn);
}

}  // namespace strata::analysis
