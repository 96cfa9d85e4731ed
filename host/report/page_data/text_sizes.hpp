// SPDX-License-Identifier: Apache-2.0
// How long texts get in a page. Names are a stranger's, and sentences hold some of them.
#pragma once

#include <cstddef>

namespace strata::report {

inline constexpr std::size_t kNameBytes = 300;
inline constexpr std::size_t kSentenceBytes = 1000;

}  // namespace strata::report
