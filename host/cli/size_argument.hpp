// SPDX-License-Identifier: Apache-2.0
// A size on the command line: `--budget 12GiB`.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::cli {

// The bytes of `text`, the argument of `option`. A plain number is in bytes; below 65,536 it is rejected,
// because another unit was probably meant. Throws UsageError.
std::uint64_t parse_size(std::string_view option, std::string_view text);

}  // namespace strata::cli
