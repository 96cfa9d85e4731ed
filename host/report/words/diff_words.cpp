// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/diff_words.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/report/peak_context.hpp"
#include "host/report/quantity.hpp"

namespace strata::report {

using analysis::RunDiff;

std::string time_warning(const RunDiff& diff) {
  if (diff.base.is_dry != diff.now.is_dry)
    return "one of the runs used a dry device, which computes nothing: their times cannot be compared";
  if (diff.base.is_dry)
    return "a dry device computes nothing: their times are only the host's part of a step";
  return "";
}

std::vector<std::string> run_warnings(const RunDiff& diff) {
  std::vector<std::string> warnings;
  if (diff.base.device != diff.now.device)
    warnings.push_back(fmt::format("the devices differ: {} and {}", diff.base.device, diff.now.device));
  if (diff.base.has_layers != diff.now.has_layers)
    warnings.push_back(fmt::format(
        "only the {} run recorded layers, so their memory differs; record the other run with --layers too",
        diff.base.has_layers ? "base" : "new"));
  for (const auto& [which, run] : {std::pair("base", &diff.base), std::pair("new", &diff.now)}) {
    if (run->outside_window)
      warnings.push_back(fmt::format(
          "the {} run allocates more outside its window: {}, {}; run_peak_allocated covers the whole run",
          which, in_mib(run->outside_window->allocated_bytes), moment_of(*run->outside_window)));
    if (run->end != "done") warnings.push_back(fmt::format("the {} run did not finish: {}", which, run->end));
    for (const std::string& warning : run->warnings)
      warnings.push_back(fmt::format("{} run: {}", which, warning));
  }
  return warnings;
}

std::vector<std::string> warnings_of(const RunDiff& diff) {
  std::vector<std::string> warnings = run_warnings(diff);
  if (std::string time = time_warning(diff); !time.empty())
    warnings.insert(warnings.begin(), std::move(time));
  return warnings;
}

}  // namespace strata::report
