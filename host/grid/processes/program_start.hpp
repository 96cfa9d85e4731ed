// SPDX-License-Identifier: Apache-2.0
// What execve wants of a program that is about to be started.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace strata::grid {

// "NAME=value" of our own environment, with `variables` in place of what it says of them.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& variables);

// Of each text, and a null pointer behind the last. They point into `texts`. Made before a fork: after it
// nothing may allocate.
std::vector<char*> pointers_to(std::vector<std::string>& texts);

}  // namespace strata::grid
