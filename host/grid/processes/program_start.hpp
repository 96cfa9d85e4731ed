// SPDX-License-Identifier: Apache-2.0
// The arguments of execve for a program that is about to be started.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata::grid {

// "NAME=value" for our own environment, with `variables` overriding it.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables);

// Pointers to the texts, followed by a null pointer. They point into `texts`. Call before a fork: allocating
// after it is not allowed.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

}  // namespace strata::grid
