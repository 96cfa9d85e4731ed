// SPDX-License-Identifier: Apache-2.0
// What the page knows of a run: the facts as JSON that can stand in an HTML script element.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// What two script elements of the page hold, described in docs/report.md. Neither can close the element
// around it: there is no '<' in them. Both are valid UTF-8 whatever the run's names hold.
struct PageData {
  std::string
      facts;  // one JSON object; below 3 MB however long the run was: its lists are cut as that file says
  std::string events;  // the columns of every allocation and free, packed
};

PageData page_data(const analysis::Facts& facts);

}  // namespace strata::report
