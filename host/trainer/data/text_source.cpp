#include "host/trainer/data/text_source.hpp"

#include <fmt/format.h>

#include "host/trainer/data/data_error.hpp"
#include "host/trainer/data/sequence_hash.hpp"

namespace strata::trainer {

TextSource::TextSource(const config::DataConfig& data, std::uint64_t sequence_tokens, std::uint64_t seed)
    : file_count_(data.files.size()),
      files_(data.files, data.tokens, static_cast<std::uint64_t>(data.max_bytes)),
      seed_(seed) {
  if (files_.size() < sequence_tokens) {
    throw DataError(
        fmt::format("data.path: the {} file(s), the first of which is '{}', hold {} tokens together, but one "
                    "sequence needs {} (model.context and one for the target). Name more text, raise "
                    "data.max_bytes, or lower model.context.",
                    file_count_, data.files.front().string(), files_.size(), sequence_tokens));
  }
}

void TextSource::read(std::uint64_t sequence, std::span<std::int64_t> tokens) const {
  const std::uint64_t starts = files_.size() - tokens.size() + 1;
  files_.read(draw(seed_, sequence) % starts, tokens);
}

std::string TextSource::description() const {
  return fmt::format("text: {} tokens of {} file(s)", files_.size(), file_count_);
}

}  // namespace strata::trainer
