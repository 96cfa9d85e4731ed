// SPDX-License-Identifier: Apache-2.0
// A frozen linear layer whose weight is kept in 4 bits, as bitsandbytes' Linear4bit. It is made anew whenever
// it is needed, in forward and again in backward, and held no longer than the product takes.
#pragma once

#include <memory>

#include "host/trainer/models/adapters/nf4.hpp"
#include "host/trainer/models/layers/linear_layer.hpp"
#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

class Nf4Linear : public LinearLayer {
 public:
  // Initial weights as Linear's, in the site's number format, then quantized. The parameter is `weight`
  // [(elements + 1) / 2, 1] of uint8, what scales it are buffers; `bias` as Linear's.
  Nf4Linear(const Shape& shape, double standard_deviation, const Nf4Format& format, const ModelSite& site);

  at::Tensor forward(const at::Tensor& x) const override;

  // Quantizes `weight` [out, in] in place of what was.
  void set_weight(const at::Tensor& weight);

  // Of the weight as it was, and of the tensor that it is now.
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
