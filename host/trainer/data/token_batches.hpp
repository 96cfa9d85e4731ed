// SPDX-License-Identifier: Apache-2.0
// Sequences of tokens, and micro-batches of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "host/trainer/data/batch_reader.hpp"

namespace strata::trainer {

// Where sequences of tokens come from.
class TokenReader {
 public:
  TokenReader() = default;
  virtual ~TokenReader() = default;
  TokenReader(const TokenReader&) = delete;
  TokenReader& operator=(const TokenReader&) = delete;

  // [any] Fills `tokens` with the run's sequence number `sequence`. The same number always gives the same
  // tokens, in whatever order sequences are asked for.
  virtual void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const = 0;

  // One line for the manifest: "text: 1048576 tokens of 12 files".
  virtual std::string description() const = 0;
};

// Classes for samples that have none: int64 [samples], each below `classes`, of the samples from number
// `first` on, the same for the same `seed`.
at::Tensor random_classes(std::uint64_t first, std::int64_t samples, std::int64_t classes,
                          std::uint64_t seed);

struct SequenceShape {
  std::int64_t context = 0;  // tokens of one sequence
  std::int64_t vocab = 0;
};

// For language models: what follows each token is its target, so that sequences are one token longer than the
// context. A token that is not below `shape.vocab` is a DataError.
class LanguageBatches : public BatchReader {
 public:
  LanguageBatches(std::unique_ptr<TokenReader> source, const SequenceShape& shape);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override { return source_->description(); }

 private:
  std::unique_ptr<TokenReader> source_;
  SequenceShape shape_;
};

// For classifiers of sequences: the class is drawn at random, by `seed`, for memory does not depend on it.
class LabelledBatches : public BatchReader {
 public:
  LabelledBatches(std::unique_ptr<TokenReader> source, const SequenceShape& shape, std::int64_t classes,
                  std::uint64_t seed);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override { return source_->description() + ", random classes"; }

 private:
  std::unique_ptr<TokenReader> source_;
  SequenceShape shape_;
  std::int64_t classes_;
  std::uint64_t seed_;
};

}  // namespace strata::trainer
