// SPDX-License-Identifier: Apache-2.0
// Optimizers whose step is compiled by torch.compile: its kernels write to parameters outside of torch's
// operators, and its hooks and ranges do not run. Two traces remain: torch counts a tensor's writes in its
// version, and Dynamo puts a range around each program that it compiled.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <string_view>

namespace strata::torch_source {

// [any] Backward has reached `parameter`: its version is remembered, for the first few of each backward.
void note_version(const at::Tensor& parameter);

// [any] Backward begins, or writes to parameters were seen: forgets all versions.
void forget_versions();

// [any] Whether a remembered parameter was written to. Then forgets them.
bool take_written_unseen();

// [any] Whether it is the range of a program compiled by Dynamo ("Torch-Compiled Region: 1/0").
bool is_compiled_program(const at::RecordFunction& function);

// [any] Whether the program of that range wrote to parameters when it ran before.
bool is_compiled_optimizer(std::string_view range);

// [any] Remembers that it did, for the rest of the process.
void keep_compiled_optimizer(std::string_view range);

}  // namespace strata::torch_source
