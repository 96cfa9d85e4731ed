// SPDX-License-Identifier: Apache-2.0
// The families of models: of each, one source file that says what its modules and parameters are called.
#pragma once

#include <memory>

#include "host/trainer/models/model.hpp"

namespace strata::trainer {

// All throw std::invalid_argument for sizes that do not fit each other.
std::shared_ptr<Model> make_transformer(const ModelParts& parts, const ModelSite& root);
std::shared_ptr<Model> make_llama(const ModelParts& parts, const ModelSite& root);  // and Qwen
std::shared_ptr<Model> make_gpt2(const ModelParts& parts, const ModelSite& root);
std::shared_ptr<Model> make_distilbert(const ModelParts& parts, const ModelSite& root);
std::shared_ptr<Model> make_resnet(const ModelParts& parts, const ModelSite& root);
// Throws std::runtime_error, too: with the file's name where it cannot be read.
std::shared_ptr<Model> make_torchscript(const ModelParts& parts, const ModelSite& root);

}  // namespace strata::trainer
