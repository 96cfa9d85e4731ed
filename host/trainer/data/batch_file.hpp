// SPDX-License-Identifier: Apache-2.0
// One batch that Python saved, to be trained on again and again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/data/batch_reader.hpp"

namespace strata::trainer {

// What torch.save wrote: a tensor of tokens [batch, context], or a dict with one called input_ids, and labels
// if it has any. All else in it, such as attention_mask, is ignored, and the description says so.
//
// A language model's labels are as large as input_ids; without any they are input_ids. As in transformers the
// target of a token is the label of the next, and that of the last is -100, which the loss leaves out: the
// model computes logits of all tokens. A classifier's labels are the class of each sequence, [batch].
class BatchFile : public BatchReader {
 public:
  // Reads `config.data.files`, which is one file. Throws DataError where it holds something else, where its
  // shape is not [data.batch_size, model.context], and where a token or label is none of the model's.
  explicit BatchFile(const config::RunConfig& config);

  // Number n is the file's sequence n modulo its batch.
  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override { return description_; }

 private:
  std::int64_t context_;
  bool classifies_;
  std::vector<std::int64_t> inputs_;  // no tensors: what is kept for the whole run is nothing of the model's
  std::vector<std::int64_t> targets_;
  std::string description_;
};

}  // namespace strata::trainer
