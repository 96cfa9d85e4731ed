// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/clock/roofline.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dry_gpu {
namespace {

// 10^12 a second are 10^3 a nanosecond; 10^9 bytes a second are one.
constexpr double kPerNsOfTera = 1e3;

std::int64_t whole(double ns) {
  return std::llround(ns);
}

}  // namespace

Roofline::Roofline(const DeviceProfile& device, const ClockSettings& settings)
    : device_(device), settings_(settings) {}

// A mode that the device does not have runs in the next wider one. No profile has a rate for FP64: half of
// FP32's, which only data centre devices reach.
double Roofline::flops_per_ns(Arithmetic arithmetic) const {
  const auto first_of = [](auto... rates) {
    double found = 0;
    ((found = found > 0 ? found : rates), ...);
    return found * kPerNsOfTera;
  };
  const DeviceProfile& device = device_;
  switch (arithmetic) {
    case Arithmetic::kFp64:
      return first_of(device.fp32_tflops / 2);
    case Arithmetic::kFp32:
      break;
    case Arithmetic::kTf32:
      return first_of(device.tf32_tflops, device.fp32_tflops);
    case Arithmetic::kFp16:
      return first_of(device.fp16_tflops, device.fp32_tflops);
    case Arithmetic::kBf16:
      return first_of(device.bf16_tflops, device.fp32_tflops);
    case Arithmetic::kFp8:
      return first_of(device.fp8_tflops, device.fp16_tflops, device.fp32_tflops);
  }
  return first_of(device.fp32_tflops);
}

Estimate Roofline::product(const Product& product) const {
  const auto m = static_cast<double>(product.m);
  const auto n = static_cast<double>(product.n);
  const auto k = static_cast<double>(product.k);
  const auto batch = static_cast<double>(product.batch);
  const double flops = 2 * m * n * k * batch * (product.is_complex ? 4 : 1);
  const double bytes = batch * (m * k * product.a_bytes + k * n * product.b_bytes + m * n * product.c_bytes);
  const double computing = flops * 100 / settings_.compute_percent / flops_per_ns(product.arithmetic);
  const auto moving =
      static_cast<double>(traffic(Model::kGemm, bytes).ns) - static_cast<double>(settings_.launch_ns);
  return {whole(std::max(computing, moving)) + static_cast<std::int64_t>(settings_.launch_ns), Model::kGemm};
}

Estimate Roofline::traffic(Model model, double bytes) const {
  const double moving = bytes * 100 / settings_.memory_percent / device_.memory_gb_per_s;
  return {whole(moving) + static_cast<std::int64_t>(settings_.launch_ns), model};
}

Estimate Roofline::copy(double bytes, Route route) const {
  if (route == Route::kWithinDevice) return traffic(Model::kCopy, 2 * bytes);
  const double rate = route == Route::kHost ? settings_.host_gb_per_s : settings_.peer_gb_per_s;
  return {whole(bytes / rate) + static_cast<std::int64_t>(settings_.launch_ns), Model::kCopy};
}

}  // namespace strata::dry_gpu
