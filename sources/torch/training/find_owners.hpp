// SPDX-License-Identifier: Apache-2.0
// What runs in the program's own Python to learn who owns what; see python_owners.hpp.
#pragma once

namespace strata::torch_source {

// Takes kNameModels (name_models.hpp) to have run. Defines find_owners(), which returns a tuple: a line for
// each storage that a module, an optimizer, a gradient scaler or a data set holds: role, StorageImpl, owner's
// StorageImpl or 0, dtype, extents joined by 'x', name; separated by tabs; whose trainer there is; a line for
// each tensor that an optimizer trains, its TensorImpl; and what keeps alive all that the lines name.
//
// It looks into dictionaries and lists alone: no method of the program's own classes is called, so that
// looking changes nothing and cannot fail in somebody else's code.
extern const char* const kFindOwners;

}  // namespace strata::torch_source
