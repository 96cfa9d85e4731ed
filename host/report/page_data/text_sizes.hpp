// SPDX-License-Identifier: Apache-2.0
// The maximum lengths of texts on a page. Names are untrusted, and sentences contain some of them.
#pragma once

#include <cstddef>

namespace strata::report {

inline constexpr std::size_t kNameBytes = 300;
inline constexpr std::size_t kSentenceBytes = 1000;

}  // namespace strata::report
