// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/batch_reader.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include <span>
#include <stdexcept>
#include <utility>

#include "host/trainer/data/batch_file.hpp"
#include "host/trainer/data/draws.hpp"
#include "host/trainer/data/image_files.hpp"
#include "host/trainer/data/text_reader.hpp"
#include "host/trainer/data/token_batches.hpp"
#include "host/trainer/precision/number_format.hpp"

namespace strata::trainer {
namespace {

// Numbers that any language computes alike: what make_numerics.py trains on.
class HashReader : public TokenReader {
 public:
  // Step s has `sequences_of_step` sequences; token t of its sequence r is
  // integer_hash(r * tokens + t, 1000 + s) % vocab.
  HashReader(std::int64_t vocab, std::uint64_t sequences_of_step)
      : vocab_(static_cast<std::uint32_t>(vocab)), sequences_of_step_(sequences_of_step) {}

  void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const override {
    const auto series = static_cast<std::uint32_t>(1000 + sequence / sequences_of_step_);
    auto element = static_cast<std::uint32_t>(sequence % sequences_of_step_ * tokens.size());
    for (std::int64_t& token : tokens) token = integer_hash(element++, series) % vocab_;
  }

  std::string description() const override {
    return fmt::format("hash: {} sequences a step over {} tokens", sequences_of_step_, vocab_);
  }

 private:
  std::uint32_t vocab_;
  std::uint64_t sequences_of_step_;
};

// Tokens that mean nothing, uniform over the vocabulary: for measurements that need no text.
class SyntheticTokens : public TokenReader {
 public:
  SyntheticTokens(std::int64_t vocab, std::uint64_t seed)
      : vocab_(static_cast<std::uint64_t>(vocab)), seed_(seed) {}

  void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const override {
    std::uint64_t position = sequence * tokens.size();
    for (std::int64_t& token : tokens) token = static_cast<std::int64_t>(draw(seed_, position++) % vocab_);
  }

  std::string description() const override {
    return fmt::format("synthetic: uniform over {} tokens", vocab_);
  }

 private:
  std::uint64_t vocab_;
  std::uint64_t seed_;
};

// Images of random pixels, because memory does not depend on their content.
class SyntheticImages : public BatchReader {
 public:
  // Square images of `size` pixels, in three colours, uniform from -1 to 1, in `dtype`.
  SyntheticImages(std::int64_t size, std::int64_t classes, at::ScalarType dtype, std::uint64_t seed)
      : size_(size), classes_(classes), dtype_(dtype), seed_(seed) {}

  Batch read(std::uint64_t first, std::int64_t samples) const override {
    Batch batch{at::empty({samples, 3, size_, size_}, dtype_),
                random_classes(first, samples, classes_, seed_)};
    for (std::int64_t i = 0; i < samples; ++i) {
      const auto generator =
          at::detail::createCPUGenerator(draw(seed_, first + static_cast<std::uint64_t>(i)));
      batch.input[i].uniform_(-1.0, 1.0, generator);
    }
    return batch;
  }

  std::string description() const override {
    return fmt::format("synthetic: images of {} x {} random pixels", size_, size_);
  }

 private:
  std::int64_t size_;
  std::int64_t classes_;
  at::ScalarType dtype_;
  std::uint64_t seed_;
};

std::unique_ptr<TokenReader> open_token_reader(const config::RunConfig& config,
                                               std::int64_t sequence_tokens) {
  const auto seed = static_cast<std::uint64_t>(config.seed);
  switch (config.data.source) {
    case config::DataSource::kSynthetic:
      return std::make_unique<SyntheticTokens>(config.model.vocab, seed);
    case config::DataSource::kText:
      return std::make_unique<TextReader>(
          config.data,
          TextSequence{.tokens = static_cast<std::uint64_t>(sequence_tokens),
                       .stride = static_cast<std::uint64_t>(config.model.context)},
          seed);
    case config::DataSource::kHash:
      return std::make_unique<HashReader>(config.model.vocab,
                                          static_cast<std::uint64_t>(samples_of_step(config)));
    case config::DataSource::kImages:
    case config::DataSource::kBatch:
      break;
  }
  throw std::logic_error("data.source: it gives no tokens, but the model takes them");
}

}  // namespace

std::unique_ptr<BatchReader> open_batch_reader(const config::RunConfig& config) {
  const config::ModelConfig& model = config.model;
  const auto seed = static_cast<std::uint64_t>(config.seed);
  if (config.data.source == config::DataSource::kBatch) return std::make_unique<BatchFile>(config);
  const SequenceShape shape{model.context, model.vocab};
  switch (model.task) {
    case config::Task::kLanguageModel:
      return std::make_unique<LanguageBatches>(open_token_reader(config, model.context + 1), shape);
    case config::Task::kSequenceClass:
      return std::make_unique<LabelledBatches>(open_token_reader(config, model.context), shape, model.classes,
                                               seed);
    case config::Task::kImageClass:
      if (config.data.source == config::DataSource::kImages)
        return std::make_unique<ImageFiles>(config.data, model.image_size, model.classes,
                                            parameter_dtype(config), seed);
      return std::make_unique<SyntheticImages>(model.image_size, model.classes, parameter_dtype(config),
                                               seed);
  }
  throw std::logic_error("model.name: the trainer does not know its task, but the schema does");
}

}  // namespace strata::trainer
