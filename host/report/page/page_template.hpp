// SPDX-License-Identifier: Apache-2.0
// The page without data: page.html with its styles, library and scripts inserted, assembled by assemble.cmake
// when Strata is built.
#pragma once

#include <string_view>

namespace strata::report {

extern const std::string_view kPageBeforeStill;
extern const std::string_view kPageBeforeData;
extern const std::string_view kPageBeforeEvents;
extern const std::string_view kPageAfterEvents;

}  // namespace strata::report
