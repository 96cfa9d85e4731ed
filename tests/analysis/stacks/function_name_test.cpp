// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/stacks/function_name.hpp"

#include <gtest/gtest.h>

namespace strata::analysis {
namespace {

TEST(FunctionName, Demangles) {
  EXPECT_EQ(demangled("_ZN2at6native3addEi"), "at::native::add(int)");
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_Znonsense"), "_Znonsense");
  EXPECT_EQ(demangled(""), "");
}

TEST(FunctionName, ShortensToWhatPeopleSay) {
  const auto expect = [](const char* whole, const char* wanted) {
    EXPECT_EQ(short_name(whole), wanted) << whole;
  };
  expect("main", "main");
  expect("at::native::add(at::Tensor const&, int)", "at::native::add");
  expect("void at::native::(anonymous namespace)::add<float>(int) const", "at::native::add<...>");
  expect("std::vector<int, std::allocator<int> >::push_back(int&&)", "std::vector<...>::push_back");
  expect("strata::AdamW::step()::{lambda(int, char const*)#1}::operator()(int) const",
         "strata::AdamW::step::{lambda#1}::operator()");
  expect("Tensor::operator<(Tensor const&) const", "Tensor::operator<");
  expect("std::ostream& operator<< <char>(std::ostream&, char)", "operator<<<...>");
  expect("Pointer::operator->() const", "Pointer::operator->");
  expect("operator new(unsigned long)", "operator new");
  expect("Value::operator bool() const", "Value::operator bool");
  expect("name[abi:cxx11](int)", "name");
  expect("f(int) [clone .part.0]", "f");
  expect("decltype (f(1)) g<(int)1>(int)", "g<...>");
  expect("c10::impl::call_<at::Tensor (at::Tensor const&), false>::call(int (*)(int))",
         "c10::impl::call_<...>::call");
  expect("make_operator(int)", "make_operator");
}

TEST(FunctionName, CopesWithWhatIsNoName) {
  for (const char* odd :
       {"", "(", ")", "<", ">>>", "{", "a<b", "operator", "operator<", "(((", " ", "a(", "::"})
    EXPECT_LE(short_name(odd).size(), 16u) << odd;
  EXPECT_EQ(short_name(" "), " ");
}

}  // namespace
}  // namespace strata::analysis
