// SPDX-License-Identifier: Apache-2.0
// Who reads values that nobody knows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata::dry_gpu {

// The function that the calling thread is in, outside of this library: "aten::nonzero", the innermost
// operator of PyTorch's dispatcher, by the name that at::_ops has for it; without one the innermost function
// that its library exports; "unnamed" without either. For calls that are rare: it walks the stack.
std::string reader_of_call() noexcept;

// An exported symbol's name as a reader: of at::_ops::nonzero::call it is "aten::nonzero", of other functions
// the C++ name without its parameters.
std::string reader_of_symbol(const char* symbol);
bool is_operator_symbol(std::string_view symbol);

// Adds to the account's table of readers. Those beyond its size share the last row, "others".
void account_unknown_read(std::string_view reader, std::uint64_t bytes) noexcept;
void account_answered_read(std::string_view reader) noexcept;

}  // namespace strata::dry_gpu
