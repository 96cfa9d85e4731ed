// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/text_source.hpp"

#include <fmt/format.h>

#include "host/trainer/data/data_error.hpp"

namespace strata::trainer {
namespace {

std::uint64_t stride_of(config::DataOrder order, const TextSequence& sequence) {
  return order == config::DataOrder::kSequential ? sequence.stride : 1;
}

// How many places there are to start at.
std::uint64_t starts(const TokenFiles& files, const TextSequence& sequence, std::uint64_t stride) {
  return files.size() < sequence.tokens ? 0 : (files.size() - sequence.tokens) / stride + 1;
}

}  // namespace

TextSource::TextSource(const config::DataConfig& data, const TextSequence& sequence, std::uint64_t seed)
    : file_count_(data.files.size()),
      files_(data.files, data.tokens, static_cast<std::uint64_t>(data.max_bytes)),
      stride_(stride_of(data.order, sequence)),
      starts_(data.order, starts(files_, sequence, stride_), seed) {
  if (files_.size() < sequence.tokens) {
    throw DataError(
        fmt::format("data.path: the {} file(s), such as '{}', hold {} tokens in total, but one sequence "
                    "needs {} (model.context and one for the target). Name more text, raise data.max_bytes, "
                    "or lower model.context.",
                    file_count_, data.files.front().string(), files_.size(), sequence.tokens));
  }
}

void TextSource::read(std::uint64_t sequence, std::span<std::int64_t> tokens) const {
  files_.read(starts_.sample(sequence) * stride_, tokens);
}

std::string TextSource::description() const {
  return fmt::format("text: {} tokens of {} file(s)", files_.size(), file_count_);
}

}  // namespace strata::trainer
