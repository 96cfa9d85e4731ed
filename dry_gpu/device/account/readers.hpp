// SPDX-License-Identifier: Apache-2.0
// Identifies the functions that read unknown values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata::dry_gpu {

// The function outside of this library that the calling thread is in: "aten::nonzero", the innermost operator
// of PyTorch's dispatcher, by its name in at::_ops; else the innermost exported function of its library; else
// "unnamed". For rare calls only: it walks the stack.
std::string reader_of_call() noexcept;

// The reader's name for an exported symbol: "aten::nonzero" for at::_ops::nonzero::call; for other functions
// the C++ name without parameters.
std::string reader_of_symbol(const char* symbol);
bool is_operator_symbol(std::string_view symbol);

// Adds to the account's table of readers. If the table is full, the rest share the last row, "others".
void account_unknown_read(std::string_view reader, std::uint64_t bytes) noexcept;
void account_answered_read(std::string_view reader) noexcept;

}  // namespace strata::dry_gpu
