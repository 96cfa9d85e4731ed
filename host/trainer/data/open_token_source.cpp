#include <stdexcept>

#include "host/trainer/data/hash_source.hpp"
#include "host/trainer/data/synthetic_source.hpp"
#include "host/trainer/data/text_source.hpp"
#include "host/trainer/data/token_source.hpp"

namespace strata::trainer {

std::unique_ptr<TokenSource> open_token_source(const config::RunConfig& config) {
  const config::DataConfig& data = config.data;
  const config::ModelConfig& model = config.model;
  const auto seed = static_cast<std::uint64_t>(config.seed);
  switch (data.source) {
    case config::DataSource::kSynthetic:
      return std::make_unique<SyntheticSource>(model.vocab, seed);
    case config::DataSource::kText:
      return std::make_unique<TextSource>(data, static_cast<std::uint64_t>(model.context) + 1, seed);
    case config::DataSource::kHash:
      return std::make_unique<HashSource>(model.vocab,
                                          static_cast<std::uint64_t>(data.batch_size * config.accumulation));
  }
  throw std::logic_error("data.source: the trainer does not know it, but the schema does");
}

}  // namespace strata::trainer
