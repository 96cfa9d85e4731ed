// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream/stack_texts.hpp"

#include <algorithm>
#include <numeric>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

constexpr std::size_t kFrameBytes = 200;

std::string text_of(analysis::StackView& view, std::uint32_t stack, std::size_t most_frames) {
  const std::vector<analysis::Frame> frames = view.trimmed(stack);
  std::string text;
  for (std::size_t i = 0; i < std::min(frames.size(), most_frames); ++i) {
    if (i > 0) text += '\n';
    text += clipped(analysis::frame_name(frames[i]), kFrameBytes);
    if (const std::string place = analysis::frame_place(frames[i]); !place.empty())
      text += "  " + clipped(place, kFrameBytes);
  }
  return text;
}

}  // namespace

StackTexts stack_texts(const analysis::Facts& facts, const EventStream& stream, const StackLimits& limits) {
  StackTexts stacks;
  if (facts.call_stacks.empty()) return stacks;
  std::vector<std::uint64_t> bytes(facts.call_stacks.addresses.size(), 0);
  const auto stack_of = [&](const StreamAllocation& allocation) -> const analysis::TakenStack* {
    if (allocation.block == kJoinedBlocks) return nullptr;
    return facts.call_stacks.at(facts.blocks[allocation.block].birth_sequence);
  };
  for (const StreamAllocation& allocation : stream.allocations) {
    if (const auto* taken = stack_of(allocation)) bytes.at(taken->stack) += allocation.bytes;
  }
  std::vector<std::uint32_t> largest(bytes.size());
  std::iota(largest.begin(), largest.end(), 0U);
  std::ranges::stable_sort(largest, std::greater{}, [&](std::uint32_t stack) { return bytes[stack]; });
  largest.resize(std::min(largest.size(), limits.stacks));

  analysis::StackView view(facts.call_stacks);
  std::vector<std::uint32_t> number(bytes.size(), 0);
  for (const std::uint32_t stack : largest) {
    if (bytes[stack] == 0) break;
    stacks.texts.push_back(text_of(view, stack, limits.frames));
    number[stack] = static_cast<std::uint32_t>(stacks.texts.size());
  }
  for (const StreamAllocation& allocation : stream.allocations) {
    const auto* taken = stack_of(allocation);
    stacks.stack_of.push_back(taken == nullptr ? 0 : number[taken->stack]);
  }
  return stacks;
}

}  // namespace strata::report
