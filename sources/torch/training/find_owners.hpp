// SPDX-License-Identifier: Apache-2.0
// Code run in the program's own Python to find the owners of storages; see python_owners.hpp.
#pragma once

namespace strata::torch_source {

// Requires that kNameModels (name_models.hpp) has run. Defines find_owners(), which returns a tuple of: a
// line for each storage held by a module, an optimizer, a gradient scaler or a data set (role, StorageImpl,
// owner's StorageImpl or 0, dtype, extents joined by 'x', name; separated by tabs); the trainer in use; a
// line for each tensor that an optimizer trains, its TensorImpl; and an object that keeps everything named in
// the lines alive.
//
// It only reads dictionaries and lists: no method of the program's own classes is called, so that it changes
// nothing and cannot fail in the program's code.
extern const char* const kFindOwners;

}  // namespace strata::torch_source
