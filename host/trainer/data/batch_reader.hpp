// SPDX-License-Identifier: Apache-2.0
// The source of the training's micro-batches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// Unusable training data. The message contains the file, the reason and the remedy.
class DataError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The data of one micro-batch. Each tensor has its own storage; their first dimensions are equal.
struct Batch {
  at::Tensor input;   // int64 tokens [batch, context], or images [batch, 3, height, width]
  at::Tensor target;  // int64: the next token for each token of `input`, or the class of each sample [batch]
};

class BatchReader {
 public:
  BatchReader() = default;
  virtual ~BatchReader() = default;
  BatchReader(const BatchReader&) = delete;
  BatchReader& operator=(const BatchReader&) = delete;

  // [any] Returns the run's samples from number `first`, in newly allocated CPU tensors. The same numbers
  // always give the same samples, in any order of requests. Throws DataError.
  virtual Batch read(std::uint64_t first, std::int64_t samples) const = 0;

  // One line for the manifest: "text: 1048576 tokens of 12 files".
  virtual std::string description() const = 0;
};

// The source named by `config.data`, in the form needed by `config.model`. Throws DataError.
std::unique_ptr<BatchReader> open_batch_reader(const config::RunConfig& config);

}  // namespace strata::trainer
