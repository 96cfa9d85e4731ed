// SPDX-License-Identifier: Apache-2.0
// Code run in the program's own Python before find_owners.hpp; the same rules apply.
#pragma once

namespace strata::torch_source {

// Defines name_models(models, the_model), which returns the prefix for the names of each model's parts, by
// its id: "" for a program's only model, "Encoder." if there are several, and, if two have the same class,
// the name of their variable or of the attribute that holds them; without either, "Encoder." and
// "Encoder_1.".
//
// A model keeps its name until it is gone, in the walks of this module and of the Python package, which finds
// the names where this stores them (python/strata_profiler/model_names.py). Otherwise an activation and its
// parameters would have different layers.
extern const char* const kNameModels;

}  // namespace strata::torch_source
