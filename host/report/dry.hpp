// What every report says of a dry run, so that nobody takes it for a measured one.
#pragma once

#include <string>

#include "host/analysis/facts.hpp"

namespace strata::report {

// "cuda:0", or "cuda:0, a dry NVIDIA H100 80GB HBM3: nothing was computed, no time measured".
std::string device_text(const analysis::Facts& facts);

// What was not run, not known and refused, and what the context takes: one line.
std::string dry_admissions(const analysis::DryFact& dry);

}  // namespace strata::report
