// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/block_quantization.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>
#include <vector>

namespace strata::trainer {
namespace {

constexpr int kExponents =
    7;  // 8 bits: a sign or a further fraction bit, then an exponent with this many values

// The rows of a block each; zeros fill the last.
at::Tensor in_blocks(const at::Tensor& values) {
  const at::Tensor flat = values.flatten();
  const std::int64_t missing = (kQuantizationBlock - flat.numel() % kQuantizationBlock) % kQuantizationBlock;
  const at::Tensor whole = missing == 0 ? flat : at::constant_pad_nd(flat, {0, missing});
  return whole.view({-1, kQuantizationBlock});
}

at::Tensor without_padding(const at::Tensor& blocks, at::IntArrayRef sizes) {
  return blocks.flatten().slice(0, 0, c10::multiply_integers(sizes)).view(sizes);
}

// The midpoints between neighbours: smaller values belong to the lower neighbour.
at::Tensor boundaries_of(const at::Tensor& map) {
  return (map.slice(0, 1) + map.slice(0, 0, -1)) / 2;
}

}  // namespace

at::Tensor dynamic_map(CodeSign sign) {
  std::vector<at::Tensor> parts{at::tensor({0.0F, 1.0F})};
  for (int exponent = 0; exponent < kExponents; ++exponent) {
    const int fractions = 1 << (sign == CodeSign::kSigned ? exponent : exponent + 1);
    const at::Tensor ends = at::linspace(0.1, 1.0, fractions + 1, at::kFloat);
    const at::Tensor means = (ends.slice(0, 0, -1) + ends.slice(0, 1)) / 2.0;
    parts.push_back(means * std::pow(10.0, exponent - (kExponents - 1)));
    if (sign == CodeSign::kSigned) parts.push_back(-parts.back());
  }
  return std::get<0>(at::cat(parts).sort());
}

QuantizedTensor quantize(const at::Tensor& values, const at::Tensor& map) {
  const at::Tensor blocks = in_blocks(values);
  const at::Tensor largest = at::amax(blocks.abs(), 1);
  const at::Tensor shares =
      blocks / largest.clamp_min(static_cast<double>(std::numeric_limits<float>::min())).unsqueeze(1);
  const at::Tensor codes = at::bucketize(shares, boundaries_of(map), /*out_int32=*/true).to(at::kByte);
  return {without_padding(codes, values.sizes()).contiguous(), largest};
}

at::Tensor dequantize(const QuantizedTensor& quantized, const at::Tensor& map) {
  const at::Tensor shares = map.index_select(0, quantized.codes.flatten().to(at::kInt));
  const at::Tensor blocks = in_blocks(shares) * quantized.largest.unsqueeze(1);
  return without_padding(blocks, quantized.codes.sizes());
}

}  // namespace strata::trainer
