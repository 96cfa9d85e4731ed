// SPDX-License-Identifier: Apache-2.0
// RecordFunction passes this from an operator's begin to its end. Torch requires a unique_ptr on the heap;
// each thread caches the memory of a few.
#pragma once

#include <ATen/record_function.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "sources/torch/python/python_stack_log.hpp"
#include "sources/torch/training/cast_watch.hpp"

namespace strata::torch_source {

struct OpRange final : at::ObserverContext {
  // Null if there is no memory.
  static std::unique_ptr<OpRange> make() noexcept;

  std::uint64_t op = 0;   // for the host's op_end
  std::uint64_t run = 0;  // the run in which it began
  std::optional<CastWatch> casts;
  std::optional<PythonOperator> python;

  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept;
  static void operator delete(void* memory) noexcept;
  static void operator delete(void* memory, const std::nothrow_t&) noexcept;
};

}  // namespace strata::torch_source
