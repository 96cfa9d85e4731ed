// What a script of tests/peers wrote with torch.save, and how it is compared with.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/serialize.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace strata::trainer {

// A pickled dictionary, read by key.
class Dictionary {
 public:
  explicit Dictionary(const c10::IValue& value) : entries_(value.toGenericDict()) {}

  bool contains(const std::string& key) const { return entries_.contains(key); }
  c10::IValue at(const std::string& key) const { return entries_.at(key); }
  Dictionary dictionary(const std::string& key) const { return Dictionary(at(key)); }
  at::Tensor tensor(const std::string& key) const { return at(key).toTensor(); }
  std::string text(const std::string& key) const { return at(key).toStringRef(); }
  std::int64_t integer(const std::string& key, std::int64_t otherwise = 0) const {
    return contains(key) ? at(key).toInt() : otherwise;
  }
  double number(const std::string& key, double otherwise = 0.0) const {
    return contains(key) ? at(key).toDouble() : otherwise;
  }

 private:
  c10::Dict<c10::IValue, c10::IValue> entries_;
};

inline Dictionary load_dictionary(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("no fixture '" + path + "'");
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>{});
  return Dictionary(torch::pickle_load(bytes));
}

// `tolerance` is relative to the largest value expected.
inline void expect_close(const at::Tensor& actual, const at::Tensor& expected, double tolerance,
                         const std::string& what) {
  ASSERT_EQ(actual.sizes(), expected.sizes()) << what;
  const double largest = expected.abs().max().item<double>();
  const double difference = (actual - expected).abs().max().item<double>();
  EXPECT_LE(difference, tolerance * largest) << what << ", whose largest value is " << largest;
}

}  // namespace strata::trainer
