// SPDX-License-Identifier: Apache-2.0
// Weights in 4 bits, as QLoRA has them (NF4, arXiv:2305.14314) and bitsandbytes stores them: in blocks of 64,
// a code of 16 values each, scaled by the block's largest magnitude; two codes a byte, the first in the upper
// half.
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/models/layers/linear.hpp"

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

// How many copies of the scales are held while they are dequantized: bitsandbytes has two functions that do
// so, and they differ.
enum class ScaleCopies { kOne, kTwo };

// float32, one for each block of 64.
at::Tensor scales_of(const Nf4Weight& weight, ScaleCopies copies, const Nf4Format& format);

// The weight in full, as an allocation of its own, filled in parts: temporaries of 4 MiB. bitsandbytes'
// kernel needs none; on a dry device there are none either. (`scales_of` needs 12 bytes a scale where they
// are quantized.)
at::Tensor dequantize_nf4(const Nf4Weight& weight, const at::Tensor& scales, const Nf4Format& format);

// A frozen linear layer whose weight is kept in 4 bits, as bitsandbytes' Linear4bit. The weight is
// dequantized whenever it is needed, in forward and again in backward, and held only until the product is
// there.
class Nf4Linear : public LinearLayer {
 public:
  // Initial weights as Linear's, in the site's number format, then quantized. The parameter is `weight`
  // [(elements + 1) / 2, 1] of uint8, and its scales are buffers; `bias` as Linear's.
  Nf4Linear(const Shape& shape, double standard_deviation, const Nf4Format& format, const ModelSite& site);

  at::Tensor forward(const at::Tensor& x) const override;

  // Quantizes `weight` [out, in] in place of the present one.
  void set_weight(const at::Tensor& weight);

  // Of the weight before it was quantized, and of the tensor that it is kept in.
  at::IntArrayRef sizes() const { return weight_->sizes; }
  std::uint64_t unpacked_elements() const;
  std::uint64_t packed_elements() const;

 private:
  Nf4Format format_;
  ModuleScope scope_;
  std::shared_ptr<Nf4Weight> weight_;
  at::Tensor bias_;  // undefined without
};

}  // namespace strata::trainer
