// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace strata::report::plot {

// Before the first text is drawn: where the system has no configuration of fontconfig, the fonts that came
// with the program are taken, if some did. For this process and those that it starts.
void use_own_fonts_without_others();

}  // namespace strata::report::plot
