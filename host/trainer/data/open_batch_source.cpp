// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>
#include <utility>

#include "host/trainer/data/batch_file.hpp"
#include "host/trainer/data/hash_source.hpp"
#include "host/trainer/data/image_files.hpp"
#include "host/trainer/data/synthetic_images.hpp"
#include "host/trainer/data/synthetic_source.hpp"
#include "host/trainer/data/text_source.hpp"
#include "host/trainer/data/token_batches.hpp"
#include "host/trainer/precision/number_format.hpp"

namespace strata::trainer {
namespace {

std::unique_ptr<TokenSource> open_token_source(const config::RunConfig& config,
                                               std::int64_t sequence_tokens) {
  const auto seed = static_cast<std::uint64_t>(config.seed);
  switch (config.data.source) {
    case config::DataSource::kSynthetic:
      return std::make_unique<SyntheticSource>(config.model.vocab, seed);
    case config::DataSource::kText:
      return std::make_unique<TextSource>(
          config.data,
          TextSequence{.tokens = static_cast<std::uint64_t>(sequence_tokens),
                       .stride = static_cast<std::uint64_t>(config.model.context)},
          seed);
    case config::DataSource::kHash:
      return std::make_unique<HashSource>(config.model.vocab,
                                          static_cast<std::uint64_t>(samples_of_step(config)));
    case config::DataSource::kImages:
    case config::DataSource::kBatch:
      break;
  }
  throw std::logic_error("data.source: it gives no tokens, but the model takes them");
}

}  // namespace

std::unique_ptr<BatchSource> open_batch_source(const config::RunConfig& config) {
  const config::ModelConfig& model = config.model;
  const auto seed = static_cast<std::uint64_t>(config.seed);
  if (config.data.source == config::DataSource::kBatch) return std::make_unique<BatchFile>(config);
  const SequenceShape shape{model.context, model.vocab};
  switch (model.task) {
    case config::Task::kLanguageModel:
      return std::make_unique<LanguageBatches>(open_token_source(config, model.context + 1), shape);
    case config::Task::kSequenceClass:
      return std::make_unique<LabelledBatches>(open_token_source(config, model.context), shape, model.classes,
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
