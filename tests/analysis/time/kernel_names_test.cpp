// SPDX-License-Identifier: Apache-2.0
// Kernels of one template must be distinguishable in a table.
#include "host/analysis/time/kernel_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/analysis/stacks/function_name.hpp"

namespace strata::analysis {
namespace {

std::vector<std::string> names(const std::vector<std::string>& full_names) {
  std::vector<KernelTime> kernels;
  for (const std::string& full : full_names) {
    KernelTime kernel;
    kernel.full_name = full;
    kernel.name = short_name(full);
    kernels.push_back(kernel);
  }
  number_alike_names(kernels);
  std::vector<std::string> told;
  for (const KernelTime& kernel : kernels) told.push_back(kernel.name);
  return told;
}

using Names = std::vector<std::string>;

TEST(KernelNames, OneOfItsNameKeepsTheShortOne) {
  const Names full{"void at::native::softmax<float, 4>(float*)", "void gemm<float>(int)"};
  EXPECT_EQ(names(full), (Names{short_name(full[0]), short_name(full[1])}));
}

TEST(KernelNames, FunctorsTellTheElementwiseKernelsApart) {
  const Names told =
      names({"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
             "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
             "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
             "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)",
             "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<double>, "
             "std::array<char*, 1ul> >(int, at::native::FillFunctor<double>, std::array<char*, 1ul>)"});
  EXPECT_NE(told[0].find("CUDAFunctor_add"), std::string::npos) << told[0];
  EXPECT_NE(told[1].find("FillFunctor, float"), std::string::npos) << told[1];
  EXPECT_NE(told[2].find("FillFunctor, double"), std::string::npos) << told[2];
  for (const std::string& name : told) {
    EXPECT_NE(name.find("vectorized_elementwise_kernel<"), std::string::npos) << name;
    EXPECT_TRUE(name.starts_with("vectorized_elementwise_kernel<")) << name;
    EXPECT_EQ(name.find("..."), std::string::npos) << name;
    EXPECT_EQ(name.find("array"), std::string::npos) << "all have it: " << name;
  }
}

TEST(KernelNames, WhatNothingTellsApartIsNumbered) {
  const Names told = names({"void k<a::b>(int)", "void k<b>(int)", "void k<b, b>(int)"});
  EXPECT_NE(told[0], told[1]);
  EXPECT_NE(told[1], told[2]);
  EXPECT_NE(told[2].find('#'), std::string::npos) << told[2];
}

TEST(KernelNames, OddNamesDoNoHarm) {
  const Names told =
      names({"", "", "<<<<", "<<<<", "\xff\x1b[31m", "\xff\x1b[31m", std::string(100'000, 'x')});
  EXPECT_EQ(told.size(), 7U);
  EXPECT_NE(told[0], told[1]);
  EXPECT_NE(told[4], told[5]);
}

}  // namespace
}  // namespace strata::analysis
