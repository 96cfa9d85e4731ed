// SPDX-License-Identifier: Apache-2.0
// Where the training's micro-batches come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host/config/run_config.hpp"
#include "host/trainer/data/batch.hpp"

namespace strata::trainer {

class BatchSource {
 public:
  BatchSource() = default;
  virtual ~BatchSource() = default;
  BatchSource(const BatchSource&) = delete;
  BatchSource& operator=(const BatchSource&) = delete;

  // [any] The run's samples from number `first` on, in newly allocated tensors on the CPU. The same numbers
  // always give the same samples, in whatever order they are asked for. Throws DataError.
  virtual Batch read(std::uint64_t first, std::int64_t samples) const = 0;

  // One line for the manifest: "text: 1048576 tokens of 12 files".
  virtual std::string description() const = 0;
};

// What `config.data` names, in the form that `config.model` takes. Throws DataError.
std::unique_ptr<BatchSource> open_batch_source(const config::RunConfig& config);

}  // namespace strata::trainer
