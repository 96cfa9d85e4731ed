// SPDX-License-Identifier: Apache-2.0
// Who owns what, as the program's own Python knows it: the names that modules, optimizers and data sets give
// to tensors.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <string>
#include <vector>

namespace strata::torch_source {

struct PythonOwner {
  std::uint32_t role = 0;  // STRATA_TENSOR_*
  c10::StorageImpl* storage = nullptr;
  c10::StorageImpl* owner = nullptr;  // the parameter's, of optimizer state
  std::string dtype;                  // "float32"
  std::vector<std::int64_t> sizes;
  bool is_frozen = false;  // a parameter that needs no gradient
  std::string name;        // one line
};

// [any] not [alloc-lock], with nothing held that a Python program may wait for: it takes the interpreter's
// lock, and looks at all of its objects, which takes some 60 ms of a large program. Calls `take` for each
// storage, and `take_optimized` for each tensor that an optimizer trains, while they live. Nothing where the
// process has no interpreter, or the thread is none of Python's. Throws std::runtime_error with Python's
// error. `is_first`: no forward has run, so that plain tensors are data, too. Returns whose trainer there is,
// "transformers" or "lightning"; empty: none that is known.
std::string for_each_python_owner(bool is_first, c10::function_ref<void(const PythonOwner&)> take,
                                  c10::function_ref<void(c10::TensorImpl*)> take_optimized);

}  // namespace strata::torch_source
