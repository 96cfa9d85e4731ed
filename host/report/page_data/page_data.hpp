// SPDX-License-Identifier: Apache-2.0
// The page's data: the facts as JSON that is safe inside an HTML script element.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// The contents of two script elements of the page, described in docs/report.md. They cannot close their
// element, because they contain no '<'. Both are valid UTF-8, whatever the run's names contain.
struct PageData {
  std::string
      facts;  // one JSON object; below 3 MB for runs of any length: its lists are cut as docs/report.md says
  std::string events;  // the columns of all allocations and frees, packed
};

PageData page_data(const analysis::Facts& facts);

}  // namespace strata::report
