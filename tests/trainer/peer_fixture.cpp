// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/peer_fixture.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/serialize.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace strata::trainer {

bool is_made_here(const char* environment_variable) {
  return std::getenv(environment_variable) != nullptr;
}

Dictionary load_fixture(const std::string& name, const char* environment_variable) {
  const char* other = std::getenv(environment_variable);
  const std::string path = other != nullptr ? other : STRATA_TEST_DATA "/" + name;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no fixture '" + path + "'");
  std::vector<char> bytes(std::filesystem::file_size(path));
  if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw std::runtime_error("cannot read the fixture '" + path + "'");
  }
  return Dictionary(torch::pickle_load(bytes));
}

void expect_close(const at::Tensor& actual, const at::Tensor& expected, double tolerance,
                  const std::string& what) {
  ASSERT_TRUE(actual.defined()) << what;
  ASSERT_EQ(actual.sizes(), expected.sizes()) << what;
  const double largest = expected.abs().max().item<double>();
  const double difference = (actual - expected).abs().max().item<double>();
  EXPECT_LE(difference, tolerance * largest) << what << ", whose largest value is " << largest;
}

}  // namespace strata::trainer
