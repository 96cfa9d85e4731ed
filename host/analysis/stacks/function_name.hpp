// SPDX-License-Identifier: Apache-2.0
// Readable names of functions.
#pragma once

#include <string>
#include <string_view>

namespace strata::analysis {

// For a symbol; returned unchanged if it is not mangled.
std::string demangled(const std::string& symbol);

// A demangled name without return type, parameters and anonymous namespaces, its template arguments as
// "<...>": `void at::native::(anonymous namespace)::add<float>(int) const` is `at::native::add<...>`.
std::string short_name(std::string_view demangled);

}  // namespace strata::analysis
