// SPDX-License-Identifier: Apache-2.0
// Where the training's micro-batches come from.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// Training data that cannot be used. The message says which, why, and what to do.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What one micro-batch is trained on. Each tensor is in a storage of its own; their first dimensions are
// alike.
struct Batch {
  at::Tensor input;   // int64 tokens [batch, context], or images [batch, 3, height, width]
  at::Tensor target;  // int64: what follows each token of `input`, or the class of each sample [batch]
};

class BatchReader {
 public:
  BatchReader() = default;
  virtual ~BatchReader() = default;
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  // [any] The run's samples from number `first` on, in newly allocated tensors on the CPU. The same numbers
  // always give the same samples, in whatever order they are asked for. Throws DataError.
  virtual Batch read(std::uint64_t first, std::int64_t samples) const = 0;

  // One line for the manifest: "text: 1048576 tokens of 12 files".
  virtual std::string description() const = 0;
};

// What `config.data` names, in the form that `config.model` takes. Throws DataError.
std::unique_ptr<BatchReader> open_batch_reader(const config::RunConfig& config);

}  // namespace strata::trainer
