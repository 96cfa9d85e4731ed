// SPDX-License-Identifier: Apache-2.0
// Results computed and pickled by a Python program, for comparison.
#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>

namespace strata::trainer {

// A dictionary of the file, read by key. Throws if a key is missing or has another type.
class Dictionary {
 public:
  explicit Dictionary(const c10::IValue& value) : entries_(value.toGenericDict()) {}

  bool contains(const std::string& key) const { return entries_.contains(key); }
  c10::IValue at(const std::string& key) const { return entries_.at(key); }
  std::size_t size() const { return entries_.size(); }
  Dictionary dictionary(const std::string& key) const { return Dictionary(at(key)); }
  at::Tensor tensor(const std::string& key) const { return at(key).toTensor(); }
  std::string text(const std::string& key) const { return at(key).toStringRef(); }
  std::int64_t integer(const std::string& key, std::int64_t otherwise) const {
    return contains(key) ? integer(key) : otherwise;
  }
  std::int64_t integer(const std::string& key) const { return at(key).toInt(); }
  double number(const std::string& key, double otherwise = 0.0) const {
    return contains(key) ? at(key).toDouble() : otherwise;
  }

 private:
  c10::Dict<c10::IValue, c10::IValue> entries_;
};

// The file of that name in tests/data, or the one in the environment variable.
Dictionary load_fixture(const std::string& name, const char* environment_variable);

// Whether the file comes from the variable: it was made by this machine's Python and agrees bit for bit. The
// committed file was made on another machine, whose libraries may round differently.
bool is_made_here(const char* environment_variable);

// No element differs by more than `tolerance` times the largest of `expected`.
void expect_close(const at::Tensor& actual, const at::Tensor& expected, double tolerance,
                  const std::string& what);

}  // namespace strata::trainer
