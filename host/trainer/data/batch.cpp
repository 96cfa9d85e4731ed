#include "host/trainer/data/batch.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "host/trainer/data/data_error.hpp"

namespace strata::trainer {

Batch read_batch(const TokenSource& source, const BatchShape& shape, std::uint64_t first_sequence) {
  Batch batch{at::empty({shape.sequences, shape.context}, at::kLong),
              at::empty({shape.sequences, shape.context}, at::kLong)};
  auto* input = batch.input.mutable_data_ptr<std::int64_t>();
  auto* target = batch.target.mutable_data_ptr<std::int64_t>();
  std::vector<std::int64_t> tokens(static_cast<std::size_t>(shape.context) + 1);
  for (std::int64_t row = 0; row < shape.sequences; ++row) {
    source.read(first_sequence + static_cast<std::uint64_t>(row), tokens);
    const std::int64_t largest = *std::max_element(tokens.begin(), tokens.end());
    if (largest >= shape.vocab) {
      throw DataError(
          fmt::format("data: token {} was read, but model.vocab is {}. Raise model.vocab above the largest "
                      "token (256 for "
                      "bytes), or check that data.tokens says how the files were written.",
                      largest, shape.vocab));
    }
    input = std::copy(tokens.begin(), tokens.end() - 1, input);
    target = std::copy(tokens.begin() + 1, tokens.end(), target);
  }
  return batch;
}

}  // namespace strata::trainer
