// SPDX-License-Identifier: Apache-2.0
// The real cuDNN's answers for the convolutions of this process: engine configurations and the workspace of
// each plan. It is asked through its documented interface for compilation without a device, in a separate
// process (decision 033).
#pragma once

#include <memory>
#include <optional>

#include "dry_gpu/cudnn/backend.hpp"
#include "dry_gpu/cudnn/real/client.hpp"
#include "dry_gpu/cudnn/real/description.hpp"

namespace strata::dry_gpu {

// [any thread] With the heuristics of that mode. Null if the profile does not want it, the graph has no
// convolution, or the library cannot be asked, which is reported once.
std::shared_ptr<real_cudnn::Question> ask_real_cudnn(const BackendContents& graph, std::int32_t mode);

// [any thread] For the configuration at that index of the answer. Empty if the library can no longer be
// asked.
std::optional<real_cudnn::Plan> plan_of_real_cudnn(real_cudnn::Question& question, std::size_t place);

// Whether one of the graph's operations is a convolution.
bool convolves(const BackendContents& graph);

// Empty if it contains values that another process cannot use, such as addresses.
std::optional<real_cudnn::Description> describe(const BackendContents& graph);

}  // namespace strata::dry_gpu
