// What the page knows of a run: the facts as JSON that can stand in an HTML script element.
#pragma once

#include <string>

#include "host/analysis/facts.hpp"

namespace strata::report {

// One JSON object, described in docs/report.md. Below 3 MB however long the run was: lists are cut as that
// file says. Valid UTF-8 whatever the names hold, and without '<', so that nothing in it can close the
// element around it.
std::string page_data(const analysis::Facts& facts);

}  // namespace strata::report
