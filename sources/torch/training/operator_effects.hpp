// SPDX-License-Identifier: Apache-2.0
// What one of torch's operators reads and writes, from its schema and arguments.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <vector>

namespace strata::torch_source {

// The operators of such a tensor are Python code: it is traced, or spread over ranks. Its parts are seen by
// themselves.
bool is_of_python(const at::Tensor& tensor);

// Whether the value is a CUDA tensor with storage of its own.
bool is_on_card(const c10::IValue& value);

// The storages to which the operator writes, except those of new tensors.
std::vector<const c10::StorageImpl*> written_by(const at::RecordFunction& function);

}  // namespace strata::torch_source
