// SPDX-License-Identifier: Apache-2.0
#include "host/report/form_text.hpp"

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/text.hpp"

namespace strata::report {

std::string form_text(const analysis::MemoryFacts& facts, const analysis::Block& block) {
  const analysis::TensorForm& form = facts.forms.at(block.form);
  std::string text = facts.texts.at(form.shape);
  if (form.shape != 0 && form.dtype != 0) text += ' ';
  return printable(text + facts.texts.at(form.dtype));
}

}  // namespace strata::report
