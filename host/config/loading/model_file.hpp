// SPDX-License-Identifier: Apache-2.0
// A model's shape as Hugging Face's config.json has it, taken for what the YAML would say.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// If `model.config` names such a file: adds to `written` what the file says of the model, but for what is
// written already, with places in that file, and forgets the key. False when
// the file could not be taken, so that nothing is known of the model's shape. A file that asks for something
// that our models do not compute is a problem.
bool read_model_file(Written& written, std::vector<Problem>& problems);

}  // namespace strata::config
