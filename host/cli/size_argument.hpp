// SPDX-License-Identifier: Apache-2.0
// A size on the command line: `--budget 12GiB`.
#pragma once

#include <cstdint>
#include <string_view>

namespace strata::cli {

// Bytes of `text`, as it was typed for `option`. A number alone are bytes, too; below 65,536 it is refused,
// for another unit was meant. Throws UsageError.
std::uint64_t parse_size(std::string_view option, std::string_view text);

}  // namespace strata::cli
