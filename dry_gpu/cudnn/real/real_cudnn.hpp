// SPDX-License-Identifier: Apache-2.0
// What the real cuDNN says of the convolutions of this process: its engines' configurations and the workspace
// of each plan. It is asked through its documented interface for compilation without a device, in a process
// of its own (decision 033).
#pragma once

#include <memory>
#include <optional>

#include "dry_gpu/cudnn/backend.hpp"
#include "dry_gpu/cudnn/real/client.hpp"
#include "dry_gpu/cudnn/real/description.hpp"

namespace strata::dry_gpu {

// [any thread] By the heuristics of that mode. Null: the devices' profile does not want it, the graph holds
// no convolution, or the library cannot be asked, which is said once.
std::shared_ptr<real_cudnn::Question> ask_real_cudnn(const BackendContents& graph, std::int32_t mode);

// [any thread] Of the configuration at that place of the answer. Nothing: it cannot be asked any more.
std::optional<real_cudnn::Plan> plan_of_real_cudnn(real_cudnn::Question& question, std::size_t place);

// Whether one of the graph's operations is a convolution.
bool convolves(const BackendContents& graph);

// Nothing: it holds what no other process can be told, such as addresses.
std::optional<real_cudnn::Description> describe(const BackendContents& graph);

}  // namespace strata::dry_gpu
