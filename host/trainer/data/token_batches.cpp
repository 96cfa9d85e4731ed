// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/token_batches.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "host/trainer/data/draws.hpp"

namespace strata::trainer {
namespace {

void read_tokens(const TokenReader& source, std::uint64_t sequence, std::int64_t vocab,
                 std::vector<std::int64_t>& tokens) {
  source.read(sequence, tokens);
  const std::int64_t largest = *std::max_element(tokens.begin(), tokens.end());
  if (largest < vocab) return;
  throw DataError(
      fmt::format("data: token {} was read, but model.vocab is {}. Raise model.vocab above the largest token "
                  "(256 for bytes), or check that data.tokens matches the format of the files.",
                  largest, vocab));
}

}  // namespace

at::Tensor random_classes(std::uint64_t first, std::int64_t samples, std::int64_t classes,
                          std::uint64_t seed) {
  // A stream of its own: samples are drawn with the seed itself.
  constexpr std::uint64_t kOfClasses = 0x636c6173;
  at::Tensor drawn = at::empty({samples}, at::kLong);
  auto* values = drawn.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::uint64_t number = draw(seed ^ kOfClasses, first + static_cast<std::uint64_t>(i));
    values[i] = static_cast<std::int64_t>(number % static_cast<std::uint64_t>(classes));
  }
  return drawn;
}

LanguageBatches::LanguageBatches(std::unique_ptr<TokenReader> source, const SequenceShape& shape)
    : source_(std::move(source)), shape_(shape) {}

Batch LanguageBatches::read(std::uint64_t first, std::int64_t samples) const {
  Batch batch{at::empty({samples, shape_.context}, at::kLong),
              at::empty({samples, shape_.context}, at::kLong)};
  auto* input = batch.input.mutable_data_ptr<std::int64_t>();
  auto* target = batch.target.mutable_data_ptr<std::int64_t>();
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(shape_.context) + 1);
  for (std::int64_t row = 0; row < samples; ++row) {
    read_tokens(*source_, first + static_cast<std::uint64_t>(row), shape_.vocab, tokens);
    input = std::copy(tokens.begin(), tokens.end() - 1, input);
    target = std::copy(tokens.begin() + 1, tokens.end(), target);
  }
  return batch;
}

LabelledBatches::LabelledBatches(std::unique_ptr<TokenReader> source, const SequenceShape& shape,
                                 std::int64_t classes, std::uint64_t seed)
    : source_(std::move(source)), shape_(shape), classes_(classes), seed_(seed) {}

Batch LabelledBatches::read(std::uint64_t first, std::int64_t samples) const {
  Batch batch{at::empty({samples, shape_.context}, at::kLong),
              random_classes(first, samples, classes_, seed_)};
  auto* input = batch.input.mutable_data_ptr<std::int64_t>();
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(shape_.context));
  for (std::int64_t row = 0; row < samples; ++row) {
    read_tokens(*source_, first + static_cast<std::uint64_t>(row), shape_.vocab, tokens);
    input = std::copy(tokens.begin(), tokens.end(), input);
  }
  return batch;
}

}  // namespace strata::trainer
