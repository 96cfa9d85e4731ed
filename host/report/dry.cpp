#include "host/report/dry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "host/report/quantity.hpp"

namespace strata::report {

std::string device_text(const analysis::Facts& facts) {
  const std::string device = facts.device.empty() ? "unknown" : facts.device;
  if (!facts.dry) return device;
  return fmt::format("{}, a dry {}: nothing was computed, no time measured", device,
                     facts.dry->name.empty() ? facts.dry->profile : facts.dry->name);
}

std::string dry_admissions(const analysis::DryFact& dry) {
  auto text = fmt::format("{} kernels not run, {} library calls not computed, {} reads of unknown values",
                          thousands(dry.kernels_not_run), thousands(dry.library_calls_not_computed),
                          thousands(dry.unknown_reads));
  if (dry.unknown_times > 0) text += fmt::format(", {} unknown times", thousands(dry.unknown_times));
  if (!dry.refused.empty()) {
    std::vector<std::string> functions;
    for (const auto& refused : dry.refused)
      functions.push_back(fmt::format("{} ({})", refused.function, thousands(refused.calls)));
    text += fmt::format("; refused: {}", fmt::join(functions, ", "));
  }
  if (dry.context_bytes_high > 0) {
    text += fmt::format("; beside this, the context takes {} to {} MiB", dry.context_bytes_low >> 20,
                        dry.context_bytes_high >> 20);
  }
  return text;
}

}  // namespace strata::report
