// SPDX-License-Identifier: Apache-2.0
// Arguments that several commands have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata::cli {

// The configuration argument of commands that run trials: `strata fit llama.yaml`.
// If a program was passed instead, explains how to do that. `command`: "fit". Throws UsageError.
void require_configuration(std::string_view command, const std::string& config);

// The command line's `--detail 10%`.
// 0.1 for "10%" or "10 %": a fraction of all allocations, above 0 and at most 1. Throws UsageError if
// invalid.
double parse_detail(std::string_view text);

// A size on the command line: `--budget 12GiB`.
// The bytes of `text`, the argument of `option`. A plain number is in bytes; below 65,536 it is rejected,
// because another unit was probably meant. Throws UsageError.
std::uint64_t parse_size(std::string_view option, std::string_view text);

}  // namespace strata::cli
