// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/adapters/nf4_linear.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <utility>

#include "host/trainer/models/initial_weights.hpp"

namespace strata::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kWeight = "weight";

struct SharedWeight : torch::CustomClassHolder {
  SharedWeight(std::shared_ptr<const Nf4Weight> of, Nf4Format in) : weight(std::move(of)), format(in) {}

  std::shared_ptr<const Nf4Weight> weight;
  Nf4Format format;
};

at::Tensor multiply(const at::Tensor& x, const Nf4Weight& weight, const Nf4Format& format,
                    const std::optional<at::Tensor>& bias) {
  // Both copies are held until the product is there, as bitsandbytes' _dequant_linear_fallback does.
  const at::Tensor scales = scales_of(weight, ScaleCopies::kTwo, format);
  return at::linear(x, dequantize_nf4(weight, scales, format), bias);
}

// bitsandbytes' MatMul4Bit: of its input and of the whole weight nothing is kept for backward.
struct MatMul4Bit : torch::autograd::Function<MatMul4Bit> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x,
                            const std::shared_ptr<const Nf4Weight>& weight, const Nf4Format& format,
                            const std::optional<at::Tensor>& bias) {
    context->saved_data[kWeight] =
        c10::IValue::make_capsule(c10::make_intrusive<SharedWeight>(weight, format));
    return multiply(x, *weight, format, bias);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto capsule = context->saved_data.at(kWeight).toCapsule();
    const auto& shared = static_cast<const SharedWeight&>(*capsule);
    at::Tensor whole;
    {
      const at::Tensor scales = scales_of(*shared.weight, ScaleCopies::kOne, shared.format);
      whole = dequantize_nf4(*shared.weight, scales, shared.format);
    }
    return {at::matmul(gradients.front(), whole.to(gradients.front().scalar_type())), {}, {}, {}};
  }
};

}  // namespace

Nf4Linear::Nf4Linear(const Shape& shape, double standard_deviation, const Nf4Format& format,
                     const ModelSite& site)
    : format_(format),
      scope_(site.scope),
      weight_(std::make_shared<Nf4Weight>(quantize_nf4(
          normal({shape.out_features, shape.in_features}, standard_deviation, site.tensors), format))) {
  register_parameter("weight", weight_->packed, /*requires_grad=*/false);
  if (shape.bias) bias_ = register_parameter("bias", at::zeros({shape.out_features}, site.tensors));
  const auto keep = [this](const char* name, const at::Tensor& tensor) {
    if (tensor.defined()) register_buffer(name, tensor);
  };
  keep("absmax", weight_->scales);
  keep("quant_map", weight_->code);
  keep("nested_absmax", weight_->nested_scales);
  keep("nested_quant_map", weight_->nested_code);
  keep("nested_offset", weight_->nested_offset);
}

at::Tensor Nf4Linear::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("Linear4bit");
  const at::ScalarType dtype = x.scalar_type();
  const at::Tensor input = x.to(weight_->dtype);
  const std::optional<at::Tensor> bias = bias_.defined() ? std::optional(bias_) : std::nullopt;
  const bool records = c10::GradMode::is_enabled() && input.requires_grad();
  const at::Tensor output =
      records ? MatMul4Bit::apply(input, weight_, format_, bias) : multiply(input, *weight_, format_, bias);
  return output.to(dtype);
}

void Nf4Linear::set_weight(const at::Tensor& weight) {
  const at::NoGradGuard no_gradients;
  const at::Tensor here = weight.to(weight_->packed.options().dtype(weight_->dtype));
  const Nf4Weight anew = quantize_nf4(here, format_);
  const auto replace = [](const at::Tensor& old, const at::Tensor& by) {
    if (old.defined()) old.copy_(by);
  };
  replace(weight_->packed, anew.packed);
  replace(weight_->scales, anew.scales);
  replace(weight_->nested_scales, anew.nested_scales);
  replace(weight_->nested_offset, anew.nested_offset);
}

std::uint64_t Nf4Linear::unpacked_elements() const {
  return static_cast<std::uint64_t>(c10::multiply_integers(weight_->sizes));
}

std::uint64_t Nf4Linear::packed_elements() const {
  return static_cast<std::uint64_t>(weight_->packed.numel());
}

}  // namespace strata::trainer
