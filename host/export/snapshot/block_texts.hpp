// SPDX-License-Identifier: Apache-2.0
// The texts about a block in a snapshot, each written once and then referred to.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/facts/reason.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/export/snapshot/pickle.hpp"

namespace strata::exports {

class BlockTexts {
 public:
  BlockTexts(const analysis::Facts& facts, Pickle& pickle)
      : facts_(facts), pickle_(pickle), stacks_(facts.call_stacks) {}

  // Writes the list of frames in which the block was allocated, innermost first: its op, its stack if it has
  // one, the module, the phase.
  void frames(const analysis::Block& block);
  // Writes a multi-line text: owner, shape and dtype, kind, reason, and the module that keeps it.
  void metadata(const analysis::Block& block);

 private:
  void frame(std::string_view what, std::string_view name);
  void stack_frames(std::uint32_t stack);

  const analysis::Facts& facts_;
  Pickle& pickle_;
  analysis::StackView stacks_;
  // By op, layer, phase, and number of the stack or kNoStack.
  static constexpr std::uint32_t kNoStack = UINT32_MAX;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::string_view, std::uint32_t>, Pickle::Memo> frames_;
  std::map<std::tuple<std::string, std::string, std::uint32_t>, Pickle::Memo> stack_frames_;
  std::map<std::pair<std::string_view, std::string_view>, Pickle::Memo> single_frames_;
  std::map<std::tuple<std::uint32_t, analysis::BlockKind, analysis::Reason, std::uint32_t, std::uint32_t>,
           Pickle::Memo>
      metadata_;
};

}  // namespace strata::exports
