// SPDX-License-Identifier: Apache-2.0
// 8-bit quantization in blocks of 256 elements, scaled by their largest magnitude, as in bitsandbytes
// (arXiv:2110.02861): a code is the nearest entry of a map that is fine near zero.
#pragma once

#include <ATen/core/Tensor.h>

namespace strata::trainer {

inline constexpr std::int64_t kQuantizationBlock = 256;

enum class CodeSign { kSigned, kUnsigned };

// bitsandbytes' create_dynamic_map: 256 ascending values within -1 to 1, or 0 to 1, in float32.
at::Tensor dynamic_map(CodeSign sign);

struct QuantizedTensor {
  at::Tensor codes;    // uint8, in the shape of the original
  at::Tensor largest;  // float32, one magnitude per block
};

// For a contiguous float32 tensor, with `map` on its device. Temporaries: six times the tensor's bytes.
QuantizedTensor quantize(const at::Tensor& values, const at::Tensor& map);
at::Tensor dequantize(const QuantizedTensor& quantized, const at::Tensor& map);

}  // namespace strata::trainer
