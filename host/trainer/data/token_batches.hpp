// SPDX-License-Identifier: Apache-2.0
// Micro-batches of token sequences.
#pragma once

#include <memory>

#include "host/trainer/data/batch_source.hpp"
#include "host/trainer/data/token_source.hpp"

namespace strata::trainer {

struct SequenceShape {
  std::int64_t context = 0;  // tokens of one sequence
  std::int64_t vocab = 0;
};

// For language models: what follows each token is its target, so that sequences are one token longer than the
// context. A token that is not below `shape.vocab` is a DataError.
class LanguageBatches : public BatchSource {
 public:
  LanguageBatches(std::unique_ptr<TokenSource> source, const SequenceShape& shape);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override { return source_->description(); }

 private:
  std::unique_ptr<TokenSource> source_;
  SequenceShape shape_;
};

// For classifiers of sequences: the class is drawn at random, by `seed`, for memory does not depend on it.
class LabelledBatches : public BatchSource {
 public:
  LabelledBatches(std::unique_ptr<TokenSource> source, const SequenceShape& shape, std::int64_t classes,
                  std::uint64_t seed);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override { return source_->description() + ", random classes"; }

 private:
  std::unique_ptr<TokenSource> source_;
  SequenceShape shape_;
  std::int64_t classes_;
  std::uint64_t seed_;
};

}  // namespace strata::trainer
