// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/unrecorded_modules.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/report/words/remedy_words.hpp"

namespace strata::report {

std::string_view how_to_record_modules(const analysis::MemoryFacts& facts) {
  const auto is_activation = [](const analysis::Block& block) {
    return block.category == analysis::Category::kActivation;
  };
  const auto has_module = [&](const analysis::Block& block) {
    return is_activation(block) && block.layer != 0;
  };
  if (!analysis::has_gone_forward(facts.phases)) return "";  // modules are only reported in forwards
  if (facts.is_configured || std::ranges::none_of(facts.blocks, is_activation) ||
      std::ranges::any_of(facts.blocks, has_module))
    return "";
  return framework_of(facts) == Framework::kLibTorch
             ? "STRATA_MODULE (strata/trainer.h) in each module's forward"
             : "strata exec --layers, or strata.attach";
}

}  // namespace strata::report
