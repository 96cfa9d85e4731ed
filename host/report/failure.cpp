// SPDX-License-Identifier: Apache-2.0
#include "host/report/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/peak/out_of_memory.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal/layer_table.hpp"
#include "host/report/terminal/stack_lines.hpp"
#include "host/report/text.hpp"
#include "host/report/untold_modules.hpp"

namespace strata::report {
namespace {

using analysis::Facts;
using analysis::OutOfMemory;

constexpr std::size_t kShownFrames = 12;

std::string amount(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  return mebibytes(value, decimals_for(value)) + " MiB";
}

std::string asked(const Facts& facts, const OutOfMemory& failure) {
  std::string text = amount(failure.requested_bytes) + " asked for";
  if (failure.op != 0) text += " by " + facts.texts.at(failure.op);
  if (failure.layer != 0) text += " in " + facts.texts.at(failure.layer);
  if (failure.held.step >= 0) text += fmt::format(", step {}", failure.held.step);
  if (!failure.held.phase.empty()) text += ", " + failure.held.phase;
  return text;
}

std::string room(const Facts& facts, const OutOfMemory& failure) {
  std::string text = amount(failure.held.allocated_bytes) + " were allocated";
  if (failure.held.reserved_bytes != failure.held.allocated_bytes) {
    text += fmt::format(", {} reserved", amount(failure.held.reserved_bytes));
    if (analysis::segments_are_told(facts.reserved))
      text += fmt::format(", whose largest free piece was {}", amount(failure.largest_gap_bytes));
  }
  if (failure.device_free_bytes)
    text += fmt::format("; the device had {} left", amount(*failure.device_free_bytes));
  return text;
}

// Behind a first backward a forward before it tells, but where this one is larger.
std::string why_untold(const Facts& facts, const OutOfMemory& failure) {
  if (analysis::has_gone_backward(facts.phases, failure.held.sequence)) {
    return ": it has kept more than the one before it, as a longer batch does, or an evaluation without "
           "torch.no_grad() whose losses are held";
  }
  const std::string_view how = how_to_tell_modules(facts);
  return how.empty() ? "" : fmt::format("; to know more: {}", how);
}

// More memory alone may not do: the first step of most optimizers is the one that makes their state.
std::string still_to_come(const Facts& facts, const OutOfMemory& failure) {
  const bool is_before = is_before_any_forward(facts, failure);
  if (is_before && computes_from(facts, failure)) {
    return "no forward that trains was seen by then: what is there is what the program set up, its model as "
           "a rule, and what it computed with that; modules and whose each block is are told of a training";
  }
  if (is_before) {
    return "no forward was seen by then: what is there is what the program set up, its model as a rule, and "
           "whose each block is was not known; the rest of it, and a step's activations, gradients and "
           "optimizer state come on top";
  }
  std::vector<std::string> parts;
  if (failure.state_to_come_bytes > 0) {
    parts.push_back(fmt::format("the optimizer was making its state: about {} of it were still to come",
                                amount(failure.state_to_come_bytes)));
  } else if (failure.pass_to_come_bytes > failure.requested_bytes) {
    parts.push_back(fmt::format("{} goes over all parameters at once: about {} were still to come",
                                facts.texts.at(failure.op), amount(failure.pass_to_come_bytes)));
  }
  if (failure.device_free_bytes &&
      failure.next_step_bytes > failure.held.reserved_bytes + *failure.device_free_bytes) {
    parts.push_back(
        fmt::format("the next step goes forward and backward beside the optimizer's state: about {} in all, "
                    "more than the device has",
                    amount(failure.next_step_bytes)));
  }
  if (failure.loss_to_come_bytes > 0) {
    parts.push_back(fmt::format("the loss's backward asks for about {} more behind that",
                                amount(failure.loss_to_come_bytes)));
  } else if (failure.forward_to_come_bytes > 0) {
    parts.push_back(
        fmt::format("the forward had more blocks ahead of it, which keep about {} for backward{}{}",
                    amount(failure.forward_to_come_bytes),
                    failure.is_forward_as_before ? ", as in the forward before it"
                                                 : " if each keeps what one before it does",
                    failure.has_stages_to_come ? ", or half of that in a stage twice as wide" : ""));
  }
  if (failure.is_forward_untold) {
    parts.push_back("what the rest of this forward makes is not known" + why_untold(facts, failure));
  }
  if (failure.head_to_come_bytes > 0) {
    parts.push_back(fmt::format(
        "the head and its loss make about {} behind that, if each of {} tokens gets {} logits",
        amount(failure.head_to_come_bytes), thousands(failure.head_tokens), thousands(failure.head_logits)));
  }
  if (failure.gradients_to_come_bytes > 0) {
    parts.push_back(
        fmt::format("the step's later micro-batches have its gradients beside them, about {} more",
                    amount(failure.gradients_to_come_bytes)));
  }
  if (failure.adam_to_come_bytes > 0) {
    parts.push_back(fmt::format(
        "no optimizer has stepped yet: what it keeps of each parameter comes on top, about {} if it is Adam",
        amount(failure.adam_to_come_bytes)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// What was missing is what one allocation missed; how much the step takes is known where it has room.
std::string whole_need(const Facts& facts) {
  if (!facts.dry) return {};
  return fmt::format(
      "To know how much it takes in all, run it where it has room: --dry {} --device-memory 1TiB.",
      facts.dry->profile);
}

std::uint64_t most_bytes(const std::vector<analysis::Remedy>& remedies) {
  std::uint64_t most = 0;
  for (const analysis::Remedy& remedy : remedies) most = std::max(most, remedy.bytes);
  return most;
}

std::string one_failure(const Facts& facts, const OutOfMemory& failure, analysis::StackView& stacks,
                        const TerminalStyle& style) {
  std::string text = style.alarming("Out of memory") + '\n';
  text += wrapped(asked(facts, failure), 2, style.width) + wrapped(room(facts, failure), 2, style.width);
  if (const std::string more = still_to_come(facts, failure); !more.empty())
    text += wrapped(more, 2, style.width);
  text += stack_lines(stacks, facts, failure.held.sequence, kShownFrames, 4, style);
  if (failure.held.categories == facts.peak.categories) {
    text += "  what filled it is told above: it was the peak\n";
  } else {
    text += category_bars(failure.held, style);
    text += '\n' + short_layer_table("Filled, by module", facts, failure.held, style);
  }
  if (const std::string need = whole_need(facts); !need.empty()) text += '\n' + wrapped(need, 0, style.width);
  if (failure.remedies.empty()) return text;
  text += '\n' + style.heading("What would have left room, about, what is enough by itself first") + '\n';
  const int decimals = decimals_for(static_cast<double>(most_bytes(failure.remedies)));
  for (const analysis::Remedy& remedy : failure.remedies) {
    const std::string line =
        fmt::format("{}: {}{}", remedy.change, remedy.reason, verdict(remedy, "; ", "not"));
    const std::string lines = wrapped(line, 19, style.width);
    text += fmt::format("{:>13} MiB  ", mebibytes(static_cast<double>(remedy.bytes), decimals)) +
            lines.substr(19);
  }
  return text;
}

}  // namespace

std::string verdict(const analysis::Remedy& remedy, std::string_view joint, std::string_view not_enough) {
  if (remedy.enough) return {};
  return fmt::format("{}{} enough by itself", joint, remedy.may_be_enough ? "may not be" : not_enough);
}

std::string failures(const Facts& facts, analysis::StackView& stacks, const TerminalStyle& style) {
  const auto& all = facts.out_of_memory;
  if (all.empty()) {
    if (facts.end != "out_of_memory") return {};
    return style.alarming("Out of memory") + '\n' +
           wrapped(
               fmt::format("not of {}: another device's memory ran out, such as the host's, and ended the "
                           "run; --device cpu shows the host's",
                           facts.device),
               2, style.width);
  }
  std::string text = one_failure(facts, all.front(), stacks, style);
  if (all.size() == 1) return text;
  text += fmt::format("\n{} failed after it; the last of them:\n",
                      counted(all.size() - 1, "more allocation", "more allocations"));
  return text + one_failure(facts, all.back(), stacks, style);
}

FailureText failure_text(const Facts& facts, const OutOfMemory& failure) {
  return {.asked = asked(facts, failure),
          .room = room(facts, failure),
          .to_come = still_to_come(facts, failure),
          .need = whole_need(facts)};
}

}  // namespace strata::report
