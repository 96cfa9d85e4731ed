// SPDX-License-Identifier: Apache-2.0
// The products of operators, as torch.utils.flop_counter counts them.
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/sources_torch/traced_run.hpp"

namespace strata::test {
namespace {

const std::map<std::string, std::string> kAsked{{"shapes", "true"}};

std::uint64_t flop(const strata_op_info& op) {
  return std::uint64_t{2} * op.products * op.product_batch * op.product_m * op.product_n * op.product_k;
}

std::vector<strata_op_info> named(TracedRun& run, std::string_view name) {
  std::vector<strata_op_info> found;
  for (const OpRecord& op : run.host().ops())
    if (op.name == name) found.push_back(op.info);
  return found;
}

TEST(ProductShape, IsNotToldUnasked) {
  TracedRun run;
  torch::mm(torch::ones({2, 3}), torch::ones({3, 4}));
  const auto ops = named(run, "aten::mm");
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(ops[0].products, 0u);
}

TEST(ProductShape, OfMatricesAndBatchesOfThem) {
  TracedRun run(kAsked);
  torch::mm(torch::ones({2, 3}), torch::ones({3, 4}));
  torch::linear(torch::ones({5, 2, 3}), torch::ones({4, 3}), torch::ones({4}));
  torch::bmm(torch::ones({7, 2, 3}, torch::kDouble), torch::ones({7, 3, 4}, torch::kDouble));
  torch::ones({4}).exp();
  const auto mm = named(run, "aten::mm"), addmm = named(run, "aten::addmm"), bmm = named(run, "aten::bmm");
  ASSERT_EQ(mm.size(), 1u);
  EXPECT_EQ(mm[0].product_m, 2u);
  EXPECT_EQ(mm[0].product_k, 3u);
  EXPECT_EQ(mm[0].product_n, 4u);
  EXPECT_EQ(mm[0].product_element_bytes, 4u);
  EXPECT_EQ(mm[0].product_bytes, 4u * (2 * 3 + 3 * 4 + 2 * 4));
  ASSERT_EQ(addmm.size(), 1u);
  EXPECT_EQ(flop(addmm[0]), 2u * 10 * 3 * 4);
  ASSERT_EQ(bmm.size(), 1u);
  EXPECT_EQ(bmm[0].product_batch, 7u);
  EXPECT_EQ(flop(bmm[0]), 2u * 7 * 2 * 3 * 4);
  EXPECT_EQ(bmm[0].product_bytes, 8u * 7 * (2 * 3 + 3 * 4 + 2 * 4));
  for (const auto& op : named(run, "aten::linear"))
    EXPECT_EQ(op.products, 0u) << "addmm's work is counted once";
  for (const auto& op : named(run, "aten::exp")) EXPECT_EQ(op.products, 0u);
}

TEST(ProductShape, OfConvolutionsAndTheirGradients) {
  TracedRun run(kAsked);
  const auto input = torch::ones({2, 6, 9, 9}, torch::requires_grad());
  const auto weight = torch::ones({4, 3, 3, 3}, torch::requires_grad());
  const auto output = torch::conv2d(input, weight, {}, 2, 1, 1, 2);  // 5 x 5 positions, two groups
  ASSERT_EQ(output.sizes(), (c10::IntArrayRef{2, 4, 5, 5}));
  output.sum().backward();
  const auto forward = named(run, "aten::convolution"), backward = named(run, "aten::convolution_backward");
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(flop(forward[0]), 2u * 2 * 25 * 4 * 3 * 9);
  EXPECT_EQ(forward[0].product_bytes, 4u * (2 * 6 * 81 + 4 * 3 * 9 + 2 * 4 * 25));
  ASSERT_EQ(backward.size(), 1u);
  EXPECT_EQ(flop(backward[0]), 2 * flop(forward[0]));
}

TEST(ProductShape, OfATransposedConvolution) {
  TracedRun run(kAsked);
  torch::conv_transpose2d(torch::ones({2, 6, 5, 5}), torch::ones({6, 4, 3, 3}), {}, 2);
  const auto ops = named(run, "aten::convolution");
  ASSERT_EQ(ops.size(), 1u);
  EXPECT_EQ(flop(ops[0]), 2u * 2 * 25 * 6 * 4 * 9);
}

TEST(ProductShape, OfAttention) {
  TracedRun run(kAsked);
  const auto query = torch::ones({2, 3, 16, 8}, torch::requires_grad());
  at::scaled_dot_product_attention(query, query, query).sum().backward();
  const auto forward = named(run, "aten::_scaled_dot_product_flash_attention_for_cpu"),
             backward = named(run, "aten::_scaled_dot_product_flash_attention_for_cpu_backward");
  ASSERT_EQ(forward.size(), 1u);
  EXPECT_EQ(flop(forward[0]), 2u * 2 * 6 * 16 * 16 * 8);
  EXPECT_EQ(forward[0].product_bytes, 4u * 4 * (6 * 16 * 8));
  ASSERT_EQ(backward.size(), 1u);
  EXPECT_EQ(flop(backward[0]), 5u * 2 * 6 * 16 * 16 * 8);
}

}  // namespace
}  // namespace strata::test
