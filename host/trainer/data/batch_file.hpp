// SPDX-License-Identifier: Apache-2.0
// One batch saved by Python, used again for every step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/data/batch_reader.hpp"

namespace strata::trainer {

// A file written by torch.save: a tensor of tokens [batch, context], or a dict with the key input_ids and
// optionally labels. Other keys, such as attention_mask, are ignored, and the description says so.
//
// A language model's labels have the shape of input_ids; if missing they are input_ids. As in transformers
// the target of a token is the label of the next one, and that of the last is -100, which the loss ignores:
// the model computes logits for all tokens. A classifier's labels are the class of each sequence, [batch].
class BatchFile : public BatchReader {
 public:
  // Reads `config.data.files`, which is one file. Throws DataError if it has another format, if its shape is
  // not [data.batch_size, model.context], or if a token or label is out of the model's range.
  explicit BatchFile(const config::RunConfig& config);

  // Sample n is the file's sequence n modulo its batch size.
  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override { return description_; }

 private:
  std::int64_t context_;
  bool classifies_;
  std::vector<std::int64_t> inputs_;  // not tensors: they are kept for the whole run but are not the model's
  std::vector<std::int64_t> targets_;
  std::string description_;
};

}  // namespace strata::trainer
