// SPDX-License-Identifier: Apache-2.0
// One configuration, valid or invalid, and its expected messages. Each file of cases is named after its
// topic; problems_test.cpp covers the language itself.
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

// A valid model in line 1, with `line` below it.
inline std::string with(const std::string& line) {
  return "model: {size: small}\n" + line + "\n";
}

inline const std::string kH100 = std::string(STRATA_DEVICES) + "/h100-80gb.yaml";
inline const std::string kOnH100 = "device: {dry: " + kH100 + "}\n";

}  // namespace strata::test
