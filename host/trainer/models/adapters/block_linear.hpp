// SPDX-License-Identifier: Apache-2.0
// A linear layer of a block, as the adapter's configuration has it: plain, in 4 bits, with an adapter beside
// it.
#pragma once

#include <memory>
#include <string_view>

#include "host/trainer/models/layers/linear_layer.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {

// `site` is that of the module that the layer is `name` in. Initial weights as Linear's.
std::shared_ptr<LinearLayer> make_block_linear(const ModelParts& parts, std::string_view name,
                                               const LinearLayer::Shape& shape, double standard_deviation,
                                               const ModelSite& site);

}  // namespace strata::trainer
