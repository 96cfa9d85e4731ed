// SPDX-License-Identifier: Apache-2.0
// Formats quantities for terminals, as on the page (page/format.js).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "host/analysis/facts/category.hpp"

namespace strata::report {

// Bytes in MiB (2^20 bytes) with thousands separated: "1,338.1". A positive amount that would round to zero
// reads "<0.1": zero is used only for zero.
std::string mebibytes(double bytes, int decimals);

// "1,338.1 MiB"; with three decimals below 10 MiB.
std::string in_mib(std::uint64_t bytes);

// The same with a sign: "+1,338.1", "-0.5"; "0.0" for zero.
std::string signed_mebibytes(double bytes, int decimals);

// The change between two sums of categories, with a sign.
std::string change(const analysis::CategoryBytes& begin, const analysis::CategoryBytes& end, int decimals);

// Decimals needed to distinguish a run's categories: one, as in published tables, or three if its largest
// amount is below 100 MiB.
int decimals_for(double largest_bytes);

// "61.2%"; "–" for a whole of zero.
std::string percentage(double part, double whole);

// In the largest unit that gives at least 1: "182.4 ms", "31.07 s".
std::string duration(double ns);

// "12,345"
std::string thousands(std::uint64_t count);

// "1 read", "12,345 reads"
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace strata::report
