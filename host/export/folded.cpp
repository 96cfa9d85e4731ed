// SPDX-License-Identifier: Apache-2.0
#include "host/export/folded.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/analysis/stacks/stacks_alive.hpp"
#include "host/export/text.hpp"

namespace strata::exports {
namespace {

// A semicolon ends a frame, and a line's end the stack.
std::string folded_name(const analysis::Frame& frame) {
  std::string name = valid_text(analysis::frame_name(frame));
  std::ranges::replace_if(
      name, [](char letter) { return letter == ';' || letter == '\n' || letter == '\r'; }, ':');
  return name;
}

}  // namespace

void write_folded(const analysis::Facts& facts, Output& output, const Progress& progress) {
  if (facts.call_stacks.empty())
    throw std::runtime_error(
        "this run recorded no stacks: record them with the allocator_tracer's option stacks_above_mib or "
        "stacks_sample_mib");
  const analysis::StacksAlive alive =
      analysis::stacks_alive(facts.blocks, facts.call_stacks, facts.peak.sequence);
  analysis::StackView view(facts.call_stacks);
  RowCount rows(progress, alive.shares.size());
  // Stacks that differ only in trimmed frames share a line.
  std::map<std::string, double> bytes_of;
  for (const analysis::StackShare& share : alive.shares) {
    rows.add();
    std::string line;
    const std::vector<analysis::Frame> frames = view.trimmed(share.stack);
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
      line += (line.empty() ? "" : ";") + folded_name(*frame);
    bytes_of[line.empty() ? "(no frames)" : line] += share.estimated_bytes;
  }
  if (alive.bytes_without > 0 && !alive.sampled)
    bytes_of["(no stack)"] += static_cast<double>(alive.bytes_without);
  Buffer buffer(output);
  for (const auto& [line, bytes] : bytes_of) buffer.format("{} {}\n", line, std::llround(bytes));
  buffer.flush();
}

}  // namespace strata::exports
