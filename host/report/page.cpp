#include "host/report/page.hpp"

#include "host/report/page/page_template.hpp"
#include "host/report/page_data.hpp"

namespace strata::report {

std::string page(const analysis::Facts& facts) {
  std::string text(kPageBeforeData);
  text += page_data(facts);
  text += kPageAfterData;
  return text;
}

}  // namespace strata::report
