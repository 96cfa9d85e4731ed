// SPDX-License-Identifier: Apache-2.0
#include "host/export/snapshot/block_texts.hpp"

#include <fmt/format.h>

#include <string>

#include "host/report/words/reasons.hpp"

namespace strata::exports {

using analysis::Block;

void BlockTexts::frame(std::string_view what, std::string_view name) {
  pickle_.item();
  const auto [found, is_new] = single_frames_.try_emplace({what, name}, 0);
  if (!is_new) return pickle_.recall(found->second);
  pickle_.begin_dict();
  pickle_.repeated("filename");
  pickle_.repeated(what);
  pickle_.repeated("line");
  pickle_.integer(0);
  pickle_.repeated("name");
  pickle_.text(name);
  pickle_.end_dict();
  found->second = pickle_.remember();
}

void BlockTexts::stack_frames(std::uint32_t stack) {
  for (const analysis::Frame& frame : stacks_.trimmed(stack)) {
    const std::string name = analysis::frame_name(frame);
    pickle_.item();
    const std::string& file = frame.file.empty() ? frame.library : frame.file;
    const auto [found, is_new] = stack_frames_.try_emplace({name, file, frame.line}, 0);
    if (!is_new) {
      pickle_.recall(found->second);
      continue;
    }
    pickle_.begin_dict();
    pickle_.repeated("filename");
    pickle_.repeated(file);
    pickle_.repeated("line");
    pickle_.integer(frame.line);
    pickle_.repeated("name");
    pickle_.text(name);
    pickle_.end_dict();
    found->second = pickle_.remember();
  }
}

void BlockTexts::frames(const Block& block) {
  // Without a frame memory_viz claims that the block is older than the recording.
  const std::string_view phase = block.phase == 0 ? std::string_view("outside any phase")
                                                  : std::string_view(facts_.phases[block.phase - 1].name);
  const analysis::TakenStack* const taken = facts_.call_stacks.at(block.birth_sequence);
  const std::uint32_t stack = taken == nullptr ? kNoStack : taken->stack;
  const auto [found, is_new] = frames_.try_emplace({block.op, block.layer, phase, stack}, 0);
  if (!is_new) return pickle_.recall(found->second);
  pickle_.begin_list();
  if (block.op != 0) frame("op", facts_.texts[block.op]);
  if (stack != kNoStack) stack_frames(stack);
  if (block.layer != 0) frame("module", facts_.texts[block.layer]);
  frame("phase", phase);
  pickle_.end_list();
  found->second = pickle_.remember();
}

void BlockTexts::metadata(const Block& block) {
  const auto [found, is_new] =
      metadata_.try_emplace({block.name, block.kind, block.reason, block.saver, block.form}, 0);
  if (!is_new) return pickle_.recall(found->second);
  std::string lines;
  if (block.name != 0) lines += fmt::format("owner: {}\n", facts_.texts[block.name]);
  const analysis::TensorForm& form = facts_.forms.at(block.form);
  if (form.shape != 0) lines += fmt::format("shape: {}\n", facts_.texts[form.shape]);
  if (form.dtype != 0) lines += fmt::format("dtype: {}\n", facts_.texts[form.dtype]);
  lines += fmt::format("kind: {}\nwhy: {}", to_string(block.kind), report::reason_text(block.reason));
  if (block.saver != 0) lines += fmt::format("\nkept by: {}", facts_.texts[block.saver]);
  pickle_.text(lines);
  found->second = pickle_.remember();
}

}  // namespace strata::exports
