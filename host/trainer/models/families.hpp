// SPDX-License-Identifier: Apache-2.0
// The model families: one source file for each, which defines the names of its modules and parameters.
#pragma once

#include <memory>

#include "host/trainer/models/model.hpp"

namespace strata::trainer {

// All throw std::invalid_argument for inconsistent sizes.
std::shared_ptr<Model> make_transformer(const ModelParts& parts, const ModelSite& root);
std::shared_ptr<Model> make_llama(const ModelParts& parts, const ModelSite& root);  // and Qwen
std::shared_ptr<Model> make_gpt2(const ModelParts& parts, const ModelSite& root);
std::shared_ptr<Model> make_distilbert(const ModelParts& parts, const ModelSite& root);
std::shared_ptr<Model> make_resnet(const ModelParts& parts, const ModelSite& root);
// Also throws std::runtime_error with the file's name if it cannot be read.
std::shared_ptr<Model> make_torchscript(const ModelParts& parts, const ModelSite& root);

}  // namespace strata::trainer
