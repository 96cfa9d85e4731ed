// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace strata::report::plot {

// Call before the first text is drawn: if the system has no fontconfig configuration, uses the fonts shipped
// with the program, if any. Applies to this process and its children.
void use_own_fonts_without_others();

}  // namespace strata::report::plot
