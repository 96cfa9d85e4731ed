// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/tensor_report.hpp"

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>

namespace strata::trainer {
namespace {

std::uint64_t storage_address(const at::Tensor& tensor) {
  return reinterpret_cast<std::uint64_t>(tensor.storage().data());
}

DeviceType device_type(const at::Tensor& tensor) {
  if (tensor.is_cuda()) return DeviceType::kCuda;
  return tensor.is_pinned() ? DeviceType::kCudaHost : DeviceType::kCpu;
}

}  // namespace

void report_tensor(Session& session, TensorRole role, std::string_view name, const at::Tensor& tensor,
                   const at::Tensor& owner) {
  const std::string dtype(c10::getDtypeNames(tensor.scalar_type()).first);  // a view of it from 2.15 on
  TensorInfo info;
  info.role = role;
  info.name = name;
  info.dtype = dtype;
  info.device_type = device_type(tensor);
  info.device_index = tensor.is_cuda() ? tensor.get_device() : 0;
  info.address = storage_address(tensor);
  info.storage_bytes = tensor.storage().nbytes();
  info.owner_address = owner.defined() ? storage_address(owner) : 0;
  info.sizes = {tensor.sizes().data(), tensor.sizes().size()};
  info.is_frozen = role == TensorRole::kParameter && !tensor.requires_grad();
  session.tensor(info);
}

}  // namespace strata::trainer
