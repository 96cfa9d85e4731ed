// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page.hpp"

#include "host/analysis/facts/facts.hpp"
#include "host/report/page/page_template.hpp"
#include "host/report/page_data/page_data.hpp"
#include "host/report/page_data/static_timeline.hpp"

namespace strata::report {

std::string page(const analysis::Facts& facts) {
  const PageData data = page_data(facts);
  std::string text(kPageBeforeStill);
  text += static_timeline(facts);
  text += kPageBeforeData;
  text += data.facts;
  text += kPageBeforeEvents;
  text += data.events;
  text += kPageAfterEvents;
  return text;
}

}  // namespace strata::report
