// SPDX-License-Identifier: Apache-2.0
// One configuration that is wrong, or not, and what is said of it. What the cases are about names the file
// that holds them; problems_test.cpp holds the language itself.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace strata::test {

using Lines = std::vector<std::string>;

struct Case {
  const char* name;
  std::string yaml;
  Lines expected;
};

class OneFile : public testing::TestWithParam<Case> {};

// A valid model in line 1, and this below it.
inline std::string with(const std::string& line) {
  return "model: {size: small}\n" + line + "\n";
}

inline const std::string kH100 = std::string(STRATA_DEVICES) + "/h100-80gb.yaml";
inline const std::string kOnH100 = "device: {dry: " + kH100 + "}\n";

}  // namespace strata::test
