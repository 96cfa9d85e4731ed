// SPDX-License-Identifier: Apache-2.0
// What RecordFunction carries from an operator's begin to its end. Torch wants it on the heap, as a
// unique_ptr; each thread keeps the memory of a few and uses it again.
#pragma once

#include <ATen/record_function.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "sources/torch/ops/cast_watch.hpp"
#include "sources/torch/python/python_stack_log.hpp"

namespace strata::torch_source {

struct OpRange final : at::ObserverContext {
  // Null when there is no memory.
  static std::unique_ptr<OpRange> make() noexcept;

  std::uint64_t op = 0;   // what the host's op_end wants
  std::uint64_t run = 0;  // in which it began
  std::optional<CastWatch> casts;
  std::optional<PythonOperator> python;

  static void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept;
  static void operator delete(void* memory) noexcept;
  static void operator delete(void* memory, const std::nothrow_t&) noexcept;
};

}  // namespace strata::torch_source
