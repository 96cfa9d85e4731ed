// What one micro-batch is trained on.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "host/trainer/data/token_source.hpp"

namespace strata::trainer {

// Both int64 [batch, context] on the CPU, each in a storage of its own; `target` is what follows each token
// of `input`.
struct Batch {
  at::Tensor input;
  at::Tensor target;
};

struct BatchShape {
  std::int64_t sequences = 0;
  std::int64_t context = 0;
  std::int64_t vocab = 0;
};

// The sequences from number `first_sequence` on, in newly allocated tensors. Throws DataError for a token
// that is not below `shape.vocab`.
Batch read_batch(const TokenSource& source, const BatchShape& shape, std::uint64_t first_sequence);

}  // namespace strata::trainer
