// SPDX-License-Identifier: Apache-2.0
// Weights in 4 bits, as QLoRA has them (NF4, arXiv:2305.14314) and bitsandbytes stores them: in blocks of 64,
// a code of 16 values each, scaled by the block's largest magnitude; two codes a byte, the first in the upper
// half.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace strata::trainer {

inline constexpr std::int64_t kNf4Block = 64;

struct Nf4Format {
  bool double_quantization = false;  // the blocks' scales in 8 bits, in blocks of 256
  bool computes = true;              // false on a dry device: tensors as always, without values
};

struct Nf4Weight {
  std::vector<std::int64_t> sizes;
  at::ScalarType dtype{};    // of what was quantized, and of what `dequantize` makes
  at::Tensor packed;         // uint8 [(elements + 1) / 2, 1]
  at::Tensor code;           // float32 [16]
  at::Tensor scales;         // of a block of 64: float32, or uint8 where they are quantized themselves
  at::Tensor nested_scales;  // of a block of 256 scales: float32; this and the next two undefined without
  at::Tensor nested_code;    // float32 [256]
  at::Tensor nested_offset;  // float32, the scales' mean
};

// Temporaries: a few MiB, and with double quantization a few times the scales'.
Nf4Weight quantize_nf4(const at::Tensor& weight, const Nf4Format& format);

// In which of bitsandbytes' two functions scales are made anew decides how many copies of them are held.
enum class ScaleCopies { kOne, kTwo };

// float32, one for each block of 64.
at::Tensor scales_of(const Nf4Weight& weight, ScaleCopies copies, const Nf4Format& format);

// The weight anew, as an allocation of its own, filled in parts: temporaries of 4 MiB. bitsandbytes' kernel
// needs none; on a dry device there are none either. (`scales_of` has 12 bytes a scale where they are
// quantized.)
at::Tensor dequantize_nf4(const Nf4Weight& weight, const at::Tensor& scales, const Nf4Format& format);

}  // namespace strata::trainer
