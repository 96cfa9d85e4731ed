// SPDX-License-Identifier: Apache-2.0
// A program that works on the CPU first and starts CUDA later, and that refers to torch's CUDA allocator
// itself: the linker gives it a copy of that variable, which torch then uses instead of its own.
#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cstdio>

int main() {
  constexpr std::int64_t kBytes = 24 << 20;
  const at::Tensor on_host = at::empty({kBytes}, at::kByte);
  at::globalContext().lazyInitDevice(c10::kCUDA);
  const at::Tensor on_device = at::empty({kBytes}, at::TensorOptions().dtype(at::kByte).device("cuda:0"));
  std::puts(c10::cuda::CUDACachingAllocator::allocator.load()->name().c_str());
  return on_host.nbytes() == on_device.nbytes() ? 0 : 1;
}
