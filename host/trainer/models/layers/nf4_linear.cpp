// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/nf4_linear.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "host/trainer/models/layers/initial_weights.hpp"
#include "host/trainer/optimizers/rules/block_quantization.hpp"

namespace strata::trainer {
namespace {

// bitsandbytes' get_4bit_type("nf4").
constexpr std::array<float, 16> kCode{-1.0F,
                                      -0.6961928009986877F,
                                      -0.5250730514526367F,
                                      -0.39491748809814453F,
                                      -0.28444138169288635F,
                                      -0.18477343022823334F,
                                      -0.09105003625154495F,
                                      0.0F,
                                      0.07958029955625534F,
                                      0.16093020141124725F,
                                      0.24611230194568634F,
                                      0.33791524171829224F,
                                      0.44070982933044434F,
                                      0.5626170039176941F,
                                      0.7229568362236023F,
                                      1.0F};

// Elements that are computed at once: a multiple of a block. Each takes at most 16 bytes of temporaries.
constexpr std::int64_t kElementsAtOnce = std::int64_t{1} << 18;

// Calls `work(first, count)` for parts of `elements` that consist of whole blocks, and for an incomplete last
// block alone.
template <typename Work>
void in_parts(std::int64_t elements, const Work& work) {
  const std::int64_t whole = elements / kNf4Block * kNf4Block;
  for (std::int64_t first = 0; first < whole; first += kElementsAtOnce)
    work(first, std::min(kElementsAtOnce, whole - first));
  if (whole < elements) work(whole, elements - whole);
}

// One row for each block.
at::Tensor rows_of(const at::Tensor& part) {
  return part.view({-1, std::min(part.numel(), kNf4Block)});
}

std::int64_t blocks_of(std::int64_t elements, std::int64_t block) {
  return (elements + block - 1) / block;
}

at::Tensor code_on(at::Device device) {
  return at::tensor(at::ArrayRef<float>(kCode), at::kFloat).to(device);
}

void fill(Nf4Weight& quantized, const at::Tensor& flat) {
  const at::Tensor boundaries = (quantized.code.slice(0, 1) + quantized.code.slice(0, 0, -1)) / 2;
  const at::Tensor packed = quantized.packed.view({-1});
  in_parts(flat.numel(), [&](std::int64_t first, std::int64_t count) {
    const at::Tensor rows = rows_of(flat.slice(0, first, first + count).to(at::kFloat));
    const at::Tensor largest = at::amax(rows.abs(), 1);
    const at::Tensor shares =
        rows / largest.clamp_min(static_cast<double>(std::numeric_limits<float>::min())).unsqueeze(1);
    at::Tensor codes = at::bucketize(shares, boundaries, /*out_int32=*/true).to(at::kByte).view({-1});
    if (count % 2 != 0) codes = at::constant_pad_nd(codes, {0, 1});
    const at::Tensor pairs = codes.view({-1, 2});
    packed.slice(0, first / 2, (first + count + 1) / 2)
        .copy_(pairs.select(1, 0).bitwise_left_shift(4).bitwise_or(pairs.select(1, 1)));
    quantized.scales.slice(0, first / kNf4Block, first / kNf4Block + rows.size(0)).copy_(largest);
  });
}

void quantize_scales(Nf4Weight& quantized, const Nf4Format& format) {
  const at::Tensor scales = quantized.scales;
  quantized.nested_code = dynamic_map(CodeSign::kSigned).to(scales.device());
  if (!format.computes) {
    quantized.nested_offset = at::empty({}, scales.options());
    quantized.nested_scales = at::empty({blocks_of(scales.numel(), kQuantizationBlock)}, scales.options());
    quantized.scales = at::empty_like(scales, scales.options().dtype(at::kByte));
    return;
  }
  quantized.nested_offset = scales.mean();
  const QuantizedTensor nested = quantize(scales - quantized.nested_offset, quantized.nested_code);
  quantized.scales = nested.codes;
  quantized.nested_scales = nested.largest;
}

}  // namespace

Nf4Weight quantize_nf4(const at::Tensor& weight, const Nf4Format& format) {
  const std::int64_t elements = weight.numel();
  const at::TensorOptions options = weight.options();
  Nf4Weight quantized;
  quantized.sizes = weight.sizes().vec();
  quantized.dtype = weight.scalar_type();
  quantized.scales = at::empty({blocks_of(elements, kNf4Block)}, options.dtype(at::kFloat));
  quantized.packed = at::empty({(elements + 1) / 2, 1}, options.dtype(at::kByte));
  quantized.code = code_on(weight.device());
  if (format.computes && !weight.is_meta()) fill(quantized, weight.contiguous().view({-1}));
  if (format.double_quantization)
    quantize_scales(quantized, {.computes = format.computes && !weight.is_meta()});
  return quantized;
}

at::Tensor scales_of(const Nf4Weight& weight, ScaleCopies copies, const Nf4Format& format) {
  if (!weight.nested_code.defined()) return weight.scales;
  at::Tensor scales = at::empty_like(weight.scales, weight.scales.options().dtype(at::kFloat));
  if (format.computes) scales.copy_(dequantize({weight.scales, weight.nested_scales}, weight.nested_code));
  return copies == ScaleCopies::kOne ? scales.add_(weight.nested_offset) : scales + weight.nested_offset;
}

at::Tensor dequantize_nf4(const Nf4Weight& weight, const at::Tensor& scales, const Nf4Format& format) {
  at::Tensor whole = at::empty(weight.sizes, weight.packed.options().dtype(weight.dtype));
  if (!format.computes) return whole;
  const at::Tensor flat = whole.view({-1});
  const at::Tensor packed = weight.packed.view({-1});
  in_parts(flat.numel(), [&](std::int64_t first, std::int64_t count) {
    const at::Tensor pairs = packed.slice(0, first / 2, (first + count + 1) / 2);
    const at::Tensor codes =
        at::stack({pairs.bitwise_right_shift(4), pairs.bitwise_and(0xF)}, 1).view({-1}).slice(0, 0, count);
    const at::Tensor rows = rows_of(weight.code.index_select(0, codes.to(at::kInt)));
    const std::int64_t block = first / kNf4Block;
    flat.slice(0, first, first + count)
        .copy_((rows * scales.slice(0, block, block + rows.size(0)).unsqueeze(1)).view({-1}));
  });
  return whole;
}

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
  // Both copies are held until the product is computed, as in bitsandbytes' _dequant_linear_fallback.
  const at::Tensor scales = scales_of(weight, ScaleCopies::kTwo, format);
  return at::linear(x, dequantize_nf4(weight, scales, format), bias);
}

// bitsandbytes' MatMul4Bit: saves neither its input nor the full weight for backward.
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
