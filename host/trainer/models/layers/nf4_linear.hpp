// SPDX-License-Identifier: Apache-2.0
// 4-bit weights as in QLoRA (NF4, arXiv:2305.14314) and as stored by bitsandbytes: in blocks of 64 elements,
// each a code for one of 16 values, scaled by the block's largest magnitude. Two codes per byte, the first
// one in the upper half.
#pragma once

#include <memory>
#include <vector>

#include "host/trainer/models/layers/linear.hpp"

namespace strata::trainer {

inline constexpr std::int64_t kNf4Block = 64;

struct Nf4Format {
  bool double_quantization = false;  // scales of blocks in 8 bits, in blocks of 256
  bool computes = true;              // false on a dry device: the same tensors, without values
};

struct Nf4Weight {
  std::vector<std::int64_t> sizes;
  at::ScalarType dtype{};  // of the original weight, and of the result of `dequantize`
  at::Tensor packed;       // uint8 [(elements + 1) / 2, 1]
  at::Tensor code;         // float32 [16]
  at::Tensor scales;       // per block of 64: float32, or uint8 if quantized themselves
  at::Tensor
      nested_scales;  // per block of 256 scales: float32; undefined without quantization, like the next two
  at::Tensor nested_code;    // float32 [256]
  at::Tensor nested_offset;  // float32, the mean of the scales
};

// Temporaries: a few MiB, and with double quantization a few times the scales.
Nf4Weight quantize_nf4(const at::Tensor& weight, const Nf4Format& format);

// The number of copies of the scales held while they are dequantized: bitsandbytes has two functions for
// this, which differ.
enum class ScaleCopies { kOne, kTwo };

// float32, one for each block of 64.
at::Tensor scales_of(const Nf4Weight& weight, ScaleCopies copies, const Nf4Format& format);

// The full weight as a new allocation, filled in parts: temporaries of 4 MiB. bitsandbytes' kernel needs
// none, and neither does a dry device. (`scales_of` needs 12 bytes per scale if they are quantized.)
at::Tensor dequantize_nf4(const Nf4Weight& weight, const at::Tensor& scales, const Nf4Format& format);

// A frozen linear layer with a 4-bit weight, as bitsandbytes' Linear4bit. The weight is dequantized whenever
// it is needed, in forward and again in backward, and freed after the product.
class Nf4Linear : public LinearLayer {
 public:
  // Initial weights as in Linear, in the site's number format, then quantized. The parameter is `weight`
  // [(elements + 1) / 2, 1] of uint8, with its scales as buffers; `bias` as in Linear.
  Nf4Linear(const Shape& shape, double standard_deviation, const Nf4Format& format, const ModelSite& site);

  at::Tensor forward(const at::Tensor& x) const override;

  // Quantizes `weight` [out, in] and replaces the current one.
  void set_weight(const at::Tensor& weight);

  // The shape of the weight before quantization, and the tensor that stores it.
  at::IntArrayRef sizes() const { return weight_->sizes; }
  std::uint64_t unpacked_elements() const;
  std::uint64_t packed_elements() const;

 private:
  Nf4Format format_;
  ModuleScope scope_;
  std::shared_ptr<Nf4Weight> weight_;
  at::Tensor bias_;  // undefined if there is none
};

}  // namespace strata::trainer
