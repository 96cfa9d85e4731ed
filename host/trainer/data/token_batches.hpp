// SPDX-License-Identifier: Apache-2.0
// Sequences of tokens, and micro-batches of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "host/trainer/data/batch_reader.hpp"

namespace strata::trainer {

// A source of token sequences.
class TokenReader {
 public:
  TokenReader() = default;
  virtual ~TokenReader() = default;
  TokenReader(const TokenReader&) = delete;
  TokenReader& operator=(const TokenReader&) = delete;

  // [any] Fills `tokens` with the run's sequence number `sequence`. The same number always gives the same
  // tokens, in any order of requests.
  virtual void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const = 0;

  // One line for the manifest: "text: 1048576 tokens of 12 files".
  virtual std::string description() const = 0;
};

// Classes for samples without one: int64 [samples], each below `classes`, for the samples from number
// `first`; the same `seed` gives the same classes.
at::Tensor random_classes(std::uint64_t first, std::int64_t samples, std::int64_t classes,
                          std::uint64_t seed);

struct SequenceShape {
  std::int64_t context = 0;  // tokens per sequence
  std::int64_t vocab = 0;
};

// For language models: the target of each token is the next one, so sequences are one token longer than the
// context. A token not below `shape.vocab` is a DataError.
class LanguageBatches : public BatchReader {
 public:
  LanguageBatches(std::unique_ptr<TokenReader> source, const SequenceShape& shape);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override { return source_->description(); }

 private:
  std::unique_ptr<TokenReader> source_;
  SequenceShape shape_;
};

// For sequence classifiers: the class is drawn at random, by `seed`, because memory does not depend on it.
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
