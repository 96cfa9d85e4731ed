// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/text_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace strata::trainer {
namespace {

template <typename Token>
void copy_tokens(std::span<const std::byte> bytes, std::uint64_t first, std::span<std::int64_t> tokens) {
  const auto* source = reinterpret_cast<const Token*>(bytes.data()) + first;
  std::copy_n(source, tokens.size(), tokens.begin());
}

std::uint64_t stride_of(config::DataOrder order, const TextSequence& sequence) {
  return order == config::DataOrder::kSequential ? sequence.stride : 1;
}

// How many places there are to start at.
std::uint64_t starts(const TokenFiles& files, const TextSequence& sequence, std::uint64_t stride) {
  return files.size() < sequence.tokens ? 0 : (files.size() - sequence.tokens) / stride + 1;
}

}  // namespace

TokenFiles::TokenFiles(const std::vector<std::filesystem::path>& paths, config::TokenFormat format,
                       std::uint64_t max_bytes)
    : format_(format) {
  const std::uint64_t token_bytes = config::bytes_of_token(format);
  std::uint64_t tokens_left =
      max_bytes == 0 ? std::numeric_limits<std::uint64_t>::max() : max_bytes / token_bytes;
  for (const std::filesystem::path& path : paths) {
    if (tokens_left == 0) break;
    MappedFile file(path);
    if (file.bytes().size() % token_bytes != 0) {
      throw DataError(fmt::format(
          "data.path: '{}' has {} bytes, which is not a whole number of uint16 tokens. Write it as "
          "uint16, or read text with data.tokens: bytes.",
          path.string(), file.bytes().size()));
    }
    const std::uint64_t tokens = std::min<std::uint64_t>(file.bytes().size() / token_bytes, tokens_left);
    if (tokens == 0) continue;
    parts_.push_back({size_, tokens, std::move(file)});
    size_ += tokens;
    tokens_left -= tokens;
  }
}

void TokenFiles::read(std::uint64_t first, std::span<std::int64_t> tokens) const {
  const auto after =
      std::upper_bound(parts_.begin(), parts_.end(), first,
                       [](std::uint64_t token, const Part& part) { return token < part.first_token; });
  for (auto part = std::prev(after); !tokens.empty(); ++part) {
    const std::uint64_t offset = first - part->first_token;
    const auto now = tokens.first(std::min<std::uint64_t>(tokens.size(), part->tokens - offset));
    if (format_ == config::TokenFormat::kUint16) {
      copy_tokens<std::uint16_t>(part->file.bytes(), offset, now);
    } else {
      copy_tokens<std::uint8_t>(part->file.bytes(), offset, now);
    }
    first += now.size();
    tokens = tokens.subspan(now.size());
  }
}

TextReader::TextReader(const config::DataConfig& data, const TextSequence& sequence, std::uint64_t seed)
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

void TextReader::read(std::uint64_t sequence, std::span<std::int64_t> tokens) const {
  files_.read(starts_.sample(sequence) * stride_, tokens);
}

std::string TextReader::description() const {
  return fmt::format("text: {} tokens of {} file(s)", files_.size(), file_count_);
}

}  // namespace strata::trainer
