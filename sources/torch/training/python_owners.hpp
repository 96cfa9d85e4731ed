// SPDX-License-Identifier: Apache-2.0
// The owners of storages as known by the program's Python: the names that modules, optimizers and data sets
// give to tensors.
#pragma once

#include <c10/core/ScalarType.h>
#include <c10/core/StorageImpl.h>
#include <c10/core/TensorImpl.h>
#include <c10/util/FunctionRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata::torch_source {

struct PythonOwner {
  std::uint32_t role = 0;  // STRATA_TENSOR_*
  c10::StorageImpl* storage = nullptr;
  c10::StorageImpl* owner = nullptr;  // of optimizer state: the parameter
  std::string dtype;                  // "float32"
  std::vector<std::int64_t> sizes;
  bool is_frozen = false;  // a parameter that needs no gradient
  std::string name;        // one line
};

struct PythonProgram {
  std::string trainer;                // in use, "transformers" or "lightning"; empty if unknown
  std::optional<std::uint32_t> rank;  // in torch.distributed; empty if it is not initialised
};

// [any] not [alloc-lock], without holding anything that a Python program may wait for: it takes the
// interpreter's lock and visits all of its objects, which takes about 60 ms in a large program. Calls `take`
// for each storage, and `take_optimized` for each tensor that an optimizer trains, while they live. No effect
// if the process has no interpreter or the thread is not known to Python. Throws std::runtime_error with
// Python's error. `is_first`: no forward has run yet, so plain tensors also count as data.
PythonProgram for_each_python_owner(bool is_first, c10::function_ref<void(const PythonOwner&)> take,
                                    c10::function_ref<void(c10::TensorImpl*)> take_optimized);

}  // namespace strata::torch_source
