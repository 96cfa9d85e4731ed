// SPDX-License-Identifier: Apache-2.0
// Reads a model's shape from Hugging Face's config.json in place of the YAML keys.
#pragma once

#include <vector>

#include "host/config/problem.hpp"
#include "host/config/schema/written.hpp"

namespace strata::config {

// If `model.config` names such a file: adds the file's values to `written`, except for keys already there,
// with places in that file, and removes the key. Returns false if the file could not be read, so that the
// model's shape is unknown. A file that requests something that our models do not compute is a problem.
bool read_model_file(Written& written, std::vector<Problem>& problems);

}  // namespace strata::config
