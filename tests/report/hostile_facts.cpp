// SPDX-License-Identifier: Apache-2.0
#include "tests/report/hostile_facts.hpp"

#include <strata/ext/phase.h>
#include <strata/ext/step.h>

#include <cmath>

#include "tests/report/facts_recorder.hpp"

namespace strata::report::testing {

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> kNames{
      "</script><script>window.hostile = 1</script>",
      "<img src=x onerror='window.hostile = 2'>",
      "\"><svg onload=\"window.hostile = 3\">",
      "<!--<script>",
      "javascript:window.hostile=4",
      "@data@ @style@ ${window.hostile = 5}",
      "line\nbreak\r\n\ttab \x1b[31mred\x1b]0;title\x07 \x7f",
      "\xE2\x80\xA8line separator \xE2\x80\xAEright to left",
      "bad \xff\xfe utf \xC3( and \xED\xA0\x80 and cut \xE2\x82",
      "it's \"quoted\" \\ back\\slash & &lt;b&gt;",
      std::string(10'000, 'x') + "</title>",
  };
  return kNames;
}

analysis::Facts hostile_facts() {
  const auto& names = hostile_names();
  FactsRecorder recorder(names[0]);
  for (std::int64_t step = 0; step < 3; ++step) {
    recorder.begin_step(step, STRATA_STEP_ACTIVE);
    for (std::size_t i = 0; i < names.size(); ++i) {
      recorder.begin_phase(STRATA_PHASE_OTHER, names[i]);
      const auto block =
          recorder.allocate((i + 1) << 20U, {static_cast<analysis::Category>(i % analysis::kCategories),
                                             analysis::BlockKind::kSaved, names[i],
                                             names[(i + 1) % names.size()], names[(i + 2) % names.size()]});
      recorder.advance(1'000'000);
      if (i % 3 == 0) recorder.release(block);
      recorder.end_phase();
    }
    recorder.end_step(std::nan(""), 0);
  }
  auto facts = recorder.finish(0, 2);
  facts.directory = names[1];
  facts.device = names[2];
  facts.unit = names.back();
  facts.pace = {.complete_steps = 3, .median_step_ns = 1e6, .tokens_per_second = 1e6};
  for (const auto& name : names) {
    facts.plugins.push_back({name, "failed", name});
    facts.warnings.push_back(name);
  }
  return facts;
}

}  // namespace strata::report::testing
