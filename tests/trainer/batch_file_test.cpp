// SPDX-License-Identifier: Apache-2.0
// A saved batch, and its possible faults.
#include "host/trainer/data/batch_file.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include <string>
#include <vector>

#include "host/trainer/data/batch_reader.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::trainer {
namespace {

using Fields = std::vector<std::pair<std::string, at::Tensor>>;

at::Tensor rows(const std::vector<std::int64_t>& values) {
  return at::tensor(values, at::kLong).view({2, -1});
}

class SavedBatch : public testing::Test {
 protected:
  SavedBatch() {
    config_.data.source = config::DataSource::kBatch;
    config_.data.batch_size = 2;
    config_.model.context = 3;
    config_.model.vocab = 10;
    config_.model.classes = 2;
  }

  BatchFile open(const c10::IValue& value) {
    const std::vector<char> bytes = torch::jit::pickle_save(value);
    config_.data.files = {folder_.write("batch.pt", std::string(bytes.begin(), bytes.end()))};
    return BatchFile(config_);
  }

  BatchFile open(const Fields& fields) {
    c10::Dict<std::string, at::Tensor> dict;
    for (const auto& [name, tensor] : fields) dict.insert(name, tensor);
    return open(c10::IValue(dict));
  }

  // The message after the file's name.
  template <typename Contents>
  std::string error_of(const Contents& contents) {
    try {
      open(contents);
    } catch (const DataError& error) {
      const std::string message = error.what();
      const std::string name = "data.path: '" + config_.data.files.front().string() + "' ";
      return message.starts_with(name) ? message.substr(name.size()) : "unnamed: " + message;
    }
    return "no DataError was thrown";
  }

  config::RunConfig config_;
  const test::TemporaryFolder folder_;
  const at::Tensor tokens_ = rows({1, 2, 3, 4, 5, 6});
};

TEST_F(SavedBatch, OfTokensAloneHasTheNextTokensAsTargets) {
  const BatchFile source = open(c10::IValue(tokens_));
  const Batch batch = source.read(0, 2);
  EXPECT_TRUE(at::equal(batch.input, tokens_));
  EXPECT_TRUE(at::equal(batch.target, rows({2, 3, -100, 5, 6, -100})));
  EXPECT_EQ(source.description(),
            "batch: 2 sequences of 3 tokens of batch.pt, repeated, which are their own labels");
}

TEST_F(SavedBatch, ComesAgainAndAgainInNewTensors) {
  const BatchFile source = open(c10::IValue(tokens_));
  const Batch first = source.read(0, 2);
  const Batch second = source.read(2, 2);
  EXPECT_TRUE(at::equal(first.input, second.input));
  EXPECT_FALSE(first.input.is_alias_of(second.input));
  EXPECT_TRUE(at::equal(source.read(1, 2).input, rows({4, 5, 6, 1, 2, 3})));
}

TEST_F(SavedBatch, LabelsAreShiftedAndTheRestIsSaidToBeIgnored) {
  const BatchFile source = open(Fields{{"labels", rows({1, -100, 3, -100, 5, 9})},
                                       {"token_type_ids", tokens_},
                                       {"input_ids", tokens_.to(at::kInt)},
                                       {"attention_mask", tokens_}});
  EXPECT_TRUE(at::equal(source.read(0, 2).input, tokens_));
  EXPECT_TRUE(at::equal(source.read(0, 2).target, rows({-100, 3, -100, 5, 9, -100})));
  EXPECT_EQ(source.description(),
            "batch: 2 sequences of 3 tokens of batch.pt, repeated; ignored: attention_mask, token_type_ids");
}

TEST_F(SavedBatch, AClassifiersLabelsAreClasses) {
  config_.model.task = config::Task::kSequenceClass;
  const BatchFile source = open(Fields{{"input_ids", tokens_}, {"labels", at::tensor({1, 0}, at::kLong)}});
  EXPECT_TRUE(at::equal(source.read(0, 2).target, at::tensor({1, 0}, at::kLong)));
  EXPECT_EQ(error_of(Fields{{"input_ids", tokens_}}),
            "has no labels, but the model classifies. Save the class of each sequence as labels.");
  EXPECT_EQ(error_of(Fields{{"input_ids", tokens_}, {"labels", tokens_}}),
            "has labels with a shape other than [batch]. Save the class of each sequence.");
  EXPECT_EQ(error_of(Fields{{"input_ids", tokens_}, {"labels", at::tensor({1, 2}, at::kLong)}}),
            "holds the label 2, which is not from 0 to 1. Raise model.classes, or save another batch.");
}

TEST_F(SavedBatch, OfAnotherShapeSaysWhatToWrite) {
  config_.data.batch_size = 4;
  EXPECT_EQ(error_of(c10::IValue(tokens_)),
            "has 2 sequences, but data.batch_size is 4. Write data.batch_size: 2.");
  config_.data.batch_size = 2;
  config_.model.context = 4;
  EXPECT_EQ(error_of(c10::IValue(tokens_)),
            "has 3 tokens a sequence, but model.context is 4. Write model.context: 3.");
  EXPECT_EQ(error_of(c10::IValue(tokens_.flatten())), "has input_ids of 1 dimensions. Save [batch, tokens].");
}

TEST_F(SavedBatch, WithoutTokensIsAnError) {
  EXPECT_EQ(error_of(Fields{{"labels", tokens_}}),
            "holds a dict without input_ids. Save the tokens under that name.");
  EXPECT_EQ(error_of(c10::IValue(3)),
            "holds neither a tensor nor a dict. Save {'input_ids': ...}, or the tokens alone.");
  EXPECT_EQ(error_of(c10::IValue(tokens_.to(at::kFloat))), "has the tensor of Float. Save integers.");
  EXPECT_EQ(error_of(Fields{{"input_ids", tokens_}, {"labels", at::tensor({1, 2}, at::kLong)}}),
            "has labels with a shape other than that of input_ids. Save one label for each token.");
}

TEST_F(SavedBatch, ATokenOrLabelThatIsNoneIsAnError) {
  EXPECT_EQ(error_of(c10::IValue(tokens_ * 2)),
            "holds the token 10, which is not from 0 to 9. Raise model.vocab, or save another batch.");
  EXPECT_EQ(error_of(c10::IValue(-tokens_)),
            "holds the token -1, which is not from 0 to 9. Raise model.vocab, or save another batch.");
  EXPECT_EQ(error_of(Fields{{"input_ids", tokens_}, {"labels", tokens_ * 2}}),
            "holds the label 10, which is not from 0 to 9. Raise model.vocab, or save another batch.");
}

TEST_F(SavedBatch, AFileThatTorchDidNotSaveIsAnError) {
  config_.data.files = {folder_.write("other.pt", "PK\x03\x04 and no more")};
  try {
    BatchFile batch(config_);
    FAIL() << "expected DataError";
  } catch (const DataError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("other.pt' cannot be read as torch.save writes it ("), std::string::npos)
        << message;
    EXPECT_TRUE(message.ends_with("torch.save(dict(batch), path).")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace strata::trainer
