// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/python_stack_reader.hpp"

#include <fmt/format.h>

#include <string_view>

namespace strata::analysis {
namespace {

constexpr std::size_t kDeepestPythonStack = 4096;

}  // namespace

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
      python.of_event.try_emplace(query.row().bits(0), stack->second);
  }

  const auto say = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) warn(fmt::format("{} {}", count, what));
  };
  say(unknown_stacks, "events name a Python stack that the store does not hold");
  say(unknown_frames, "frames of Python stacks are of lines that the store does not hold");
  say(strange_frames, "frames of Python stacks have a position that no stack is deep enough for");
  return python;
}

}  // namespace strata::analysis
