// SPDX-License-Identifier: Apache-2.0
// What runs in the program's own Python before find_owners.hpp, whose rules hold here, too.
#pragma once

namespace strata::torch_source {

// Defines name_models(models, the_model), which returns what stands before the names of each model's parts,
// by its id: "" of a program's only one, "Encoder." of several, and, where two are of one class, what their
// variable or the attribute that holds them is called, "Encoder." and "Encoder_1." without either.
//
// A model keeps its name until it is gone, in this module's walks and in those of the Python package, which
// finds the names where this leaves them (python/strata_profiler/model_names.py): else an activation's layer
// and its parameters' were two.
extern const char* const kNameModels;

}  // namespace strata::torch_source
