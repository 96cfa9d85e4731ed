// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/ops/product_shape.hpp"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

namespace strata::torch_source {
namespace {

using Inputs = c10::ArrayRef<const c10::IValue>;

struct Product {
  std::int64_t products = 1, batch = 1, m = 0, n = 0, k = 0;
  std::int64_t elements = 0;  // of operands and results
};

std::int64_t product_of(c10::IntArrayRef sizes, std::size_t first) {
  std::int64_t product = 1;
  for (std::size_t at = first; at < sizes.size(); ++at) product *= sizes[at];
  return product;
}

// The last two dimensions, and all before them as the batch.
Product matrix_product(const at::Tensor& left, const at::Tensor& right) {
  const c10::IntArrayRef a = left.sizes(), b = right.sizes();
  Product product{.m = a[a.size() - 2], .n = b[b.size() - 1], .k = a[a.size() - 1]};
  product.batch = a.size() == 3 ? a[0] : 1;
  product.elements = left.numel() + right.numel() + product.batch * product.m * product.n;
  return product;
}

std::int64_t at_or_first(const std::vector<std::int64_t>& values, std::size_t index) {
  return values.at(index < values.size() ? index : 0);
}

// For a convolution that is not transposed, over all spatial dimensions.
std::int64_t output_positions(const at::Tensor& input, const at::Tensor& weight, Inputs inputs) {
  const auto stride = inputs[3].toIntVector(), padding = inputs[4].toIntVector(),
             dilation = inputs[5].toIntVector();
  std::int64_t positions = 1;
  for (std::size_t at = 2; at < input.sizes().size(); ++at) {
    const std::int64_t reach = at_or_first(dilation, at - 2) * (weight.size(std::int64_t(at)) - 1) + 1;
    const std::int64_t room = input.size(std::int64_t(at)) + 2 * at_or_first(padding, at - 2) - reach;
    positions *= room / at_or_first(stride, at - 2) + 1;
  }
  return positions;
}

// `positions`: of the output, or of a transposed one's input, in one sample.
Product convolution(const at::Tensor& input, const at::Tensor& weight, bool transposed, std::int64_t groups,
                    std::int64_t positions) {
  const std::int64_t columns = weight.numel() / weight.size(0);
  Product product{.batch = groups, .n = input.size(0) * positions};
  product.m = transposed ? columns : weight.size(0) / groups;
  product.k = transposed ? weight.size(0) / groups : columns;
  return product;
}

Product convolution_forward(Inputs inputs) {
  const at::Tensor &input = inputs[0].toTensor(), &weight = inputs[1].toTensor();
  const bool transposed = inputs[6].toBool();
  const std::int64_t positions =
      transposed ? product_of(input.sizes(), 2) : output_positions(input, weight, inputs);
  Product product = convolution(input, weight, transposed, inputs[8].toInt(), positions);
  if (!transposed)
    product.elements = input.numel() + weight.numel() + input.size(0) * weight.size(0) * positions;
  return product;
}

// A product for each gradient that is wanted: the input's, the weight's.
Product convolution_backward(Inputs inputs) {
  const at::Tensor &gradient = inputs[0].toTensor(), &input = inputs[1].toTensor(),
                   &weight = inputs[2].toTensor();
  const bool transposed = inputs[7].toBool();
  Product product = convolution(input, weight, transposed, inputs[9].toInt(),
                                product_of(transposed ? input.sizes() : gradient.sizes(), 2));
  const auto wanted = inputs[10].toBoolList();
  const std::int64_t of_input = wanted.get(0) ? 1 : 0, of_weight = wanted.get(1) ? 1 : 0;
  product.products = of_input + of_weight;
  product.elements = gradient.numel() + of_input * (weight.numel() + input.numel()) +
                     of_weight * (input.numel() + weight.numel());
  return product;
}

// Scores, and values times scores; backward recomputes the scores and has a product for each of four
// gradients. A causal mask is not subtracted, as is usual.
Product attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, bool backward) {
  const std::int64_t sides = query.numel() + key.numel() + value.numel();
  const std::int64_t output = query.numel() / query.size(3) * value.size(3);
  return {.products = backward ? 5 : 2,
          .batch = query.size(0) * query.size(1),
          .m = query.size(2),
          .n = key.size(2),
          .k = query.size(3),
          .elements = backward ? 2 * (sides + output) : sides + output};
}

std::optional<Product> product_in(std::string_view name, Inputs inputs) {
  constexpr std::string_view kNamespace = "aten::", kAttention = "_scaled_dot_product_";
  if (!name.starts_with(kNamespace)) return {};
  name.remove_prefix(kNamespace.size());
  const auto tensor = [&](std::size_t at) -> const at::Tensor& { return inputs[at].toTensor(); };
  if (name == "mm" || name == "bmm") return matrix_product(tensor(0), tensor(1));
  if (name == "addmm" || name == "_addmm_activation" || name == "baddbmm")
    return matrix_product(tensor(1), tensor(2));
  if (name == "convolution") return convolution_forward(inputs);
  if (name == "convolution_backward") return convolution_backward(inputs);
  if (!name.starts_with(kAttention)) return {};
  name.remove_prefix(kAttention.size());
  const bool backward = name.ends_with("_backward");
  if (backward) name.remove_suffix(std::string_view("_backward").size());
  constexpr std::array<std::string_view, 4> kKernels{"flash_attention", "flash_attention_for_cpu",
                                                     "efficient_attention", "cudnn_attention"};
  for (const std::string_view kernel : kKernels) {
    if (name != kernel) continue;
    const std::size_t query = backward ? 1 : 0;
    return attention(tensor(query), tensor(query + 1), tensor(query + 2), backward);
  }
  return {};
}

bool fits(std::int64_t size) {
  return size >= 0 && size <= std::numeric_limits<std::uint32_t>::max();
}

}  // namespace

void describe_product(const at::RecordFunction& function, strata_op_info& op) noexcept try {
  if (function.scope() != at::RecordScope::FUNCTION) return;
  const auto product = product_in(function.name(), function.inputs());
  if (!product || !fits(product->products) || !fits(product->batch) || !fits(product->m) ||
      !fits(product->n) || !fits(product->k))
    return;
  const auto element_bytes = function.inputs()[1].toTensor().element_size();
  op.products = static_cast<std::uint32_t>(product->products);
  op.product_batch = static_cast<std::uint32_t>(product->batch);
  op.product_m = static_cast<std::uint32_t>(product->m);
  op.product_n = static_cast<std::uint32_t>(product->n);
  op.product_k = static_cast<std::uint32_t>(product->k);
  op.product_element_bytes = static_cast<std::uint32_t>(element_bytes);
  op.product_bytes = static_cast<std::uint64_t>(product->elements) * op.product_element_bytes;
} catch (...) {
  // Tensors without sizes, nested ones among them: a product without numbers is better than a training that
  // stops.
  op.products = 0;
}

}  // namespace strata::torch_source
