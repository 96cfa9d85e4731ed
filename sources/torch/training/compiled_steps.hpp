// SPDX-License-Identifier: Apache-2.0
// Optimizers whose step torch.compile has compiled: its kernels write to parameters in no operator of
// torch's, and its hooks and ranges do not run. What is left to see is that torch counts a tensor's writes in
// its version, and the range that Dynamo puts around each program that it compiled.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <string_view>

namespace strata::torch_source {

// [any] Backward has come to `parameter`: its version is held in mind, of the first few of each backward.
void note_version(const at::Tensor& parameter);

// [any] Backward begins, or writes to parameters were seen: nothing is held in mind.
void forget_versions();

// [any] Whether something wrote to a parameter that is held in mind. Forgets them then.
bool take_written_unseen();

// [any] Whether it is the range around a program that Dynamo compiled ("Torch-Compiled Region: 1/0").
bool is_compiled_program(const at::RecordFunction& function);

// [any] Whether the program of that range wrote to parameters when it ran before.
bool is_compiled_optimizer(std::string_view range);

// [any] It did. For the rest of the process.
void keep_compiled_optimizer(std::string_view range);

}  // namespace strata::torch_source
