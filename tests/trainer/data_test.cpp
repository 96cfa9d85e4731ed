// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "host/trainer/data/batch_reader.hpp"
#include "host/trainer/data/text_reader.hpp"
#include "host/trainer/data/token_batches.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::trainer {
namespace {

namespace fs = std::filesystem;
using config::TokenFormat;
using Tokens = std::vector<std::int64_t>;

class Data : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& bytes) const {
    return folder_.write(name, bytes);
  }

  fs::path write(const std::string& name, const std::vector<std::uint16_t>& tokens) const {
    return write(name, std::string(reinterpret_cast<const char*>(tokens.data()), 2 * tokens.size()));
  }

  const test::TemporaryFolder folder_;
};

Tokens read(const TokenFiles& files, std::uint64_t first, std::size_t count) {
  Tokens tokens(count);
  files.read(first, tokens);
  return tokens;
}

template <typename Action>
std::string data_error(Action&& action) {
  try {
    action();
  } catch (const DataError& error) {
    return error.what();
  }
  return "no DataError was thrown";
}

config::DataConfig text_config(std::vector<fs::path> files, TokenFormat format = TokenFormat::kBytes) {
  config::DataConfig config;
  config.source = config::DataSource::kText;
  config.files = std::move(files);
  config.tokens = format;
  return config;
}

TEST_F(Data, AByteIsATokenAlsoAbove127) {
  const TokenFiles files({write("a", std::string("A\0\xff\x80z", 5))}, TokenFormat::kBytes, 0);
  EXPECT_EQ(files.size(), 5u);
  EXPECT_EQ(read(files, 0, 5), (Tokens{65, 0, 255, 128, 122}));
}

TEST_F(Data, TwoBytesAreATokenAlsoAbove32767) {
  const TokenFiles files({write("a", std::vector<std::uint16_t>{0, 1, 258, 50256, 65535})},
                         TokenFormat::kUint16, 0);
  EXPECT_EQ(files.size(), 5u);
  EXPECT_EQ(read(files, 1, 4), (Tokens{1, 258, 50256, 65535}));
}

TEST_F(Data, FilesAreReadAsOneAcrossTheirEnds) {
  const TokenFiles files({write("a", std::string("ab")), write("empty", std::string()),
                          write("b", std::string("c")), write("c", std::string("def"))},
                         TokenFormat::kBytes, 0);
  EXPECT_EQ(files.size(), 6u);
  EXPECT_EQ(read(files, 0, 6), (Tokens{'a', 'b', 'c', 'd', 'e', 'f'}));
  EXPECT_EQ(read(files, 1, 3), (Tokens{'b', 'c', 'd'}));
  EXPECT_EQ(read(files, 5, 1), (Tokens{'f'}));
}

TEST_F(Data, NoMoreThanMaxBytesAreRead) {
  const std::vector<fs::path> paths = {write("a", std::string("abcd")), write("b", std::string("efgh"))};
  EXPECT_EQ(read(TokenFiles(paths, TokenFormat::kBytes, 6), 3, 3), (Tokens{'d', 'e', 'f'}));
  EXPECT_EQ(TokenFiles(paths, TokenFormat::kBytes, 6).size(), 6u);
  EXPECT_EQ(TokenFiles(paths, TokenFormat::kUint16, 7).size(), 3u);
}

TEST_F(Data, AnOddNumberOfBytesIsNoUint16) {
  const fs::path path = write("odd.bin", std::string("abc"));
  const std::string message = data_error([&] { TokenFiles({path}, TokenFormat::kUint16, 0); });
  EXPECT_NE(message.find("'" + path.string() + "' has 3 bytes, which is not a whole number of uint16"),
            std::string::npos)
      << message;
}

TEST_F(Data, AFileThatCannotBeOpenedIsNamed) {
  const std::string message =
      data_error([&] { TokenFiles({folder_.path() / "gone"}, TokenFormat::kBytes, 0); });
  EXPECT_NE(message.find("gone': No such file"), std::string::npos) << message;
}

TEST_F(Data, TextTooShortForOneSequenceIsAnError) {
  const fs::path path = write("short", std::string("12345678"));
  EXPECT_EQ(TextReader(text_config({path}), {.tokens = 8, .stride = 7}, 0).description(),
            "text: 8 tokens of 1 file(s)");
  const std::string message =
      data_error([&] { TextReader(text_config({path}), {.tokens = 9, .stride = 8}, 0); });
  EXPECT_NE(message.find("hold 8 tokens in total, but one sequence needs 9"), std::string::npos) << message;
  const fs::path empty = write("empty", std::string());
  EXPECT_NE(data_error([&] {
              TextReader(text_config({empty}), {.tokens = 2, .stride = 1}, 0);
            }).find("hold 0 tokens"),
            std::string::npos);
}

TEST_F(Data, EverySequenceIsAPieceOfTheTextDrawnFromTheSeed) {
  std::vector<std::uint16_t> counting(1000);
  std::iota(counting.begin(), counting.end(), std::uint16_t{0});
  const fs::path path = write("counting", counting);
  const TextReader source(text_config({path}, TokenFormat::kUint16), {.tokens = 17, .stride = 16}, 5);
  const TextReader other_seed(text_config({path}, TokenFormat::kUint16), {.tokens = 17, .stride = 16}, 6);
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> other_starts;
  Tokens tokens(17);
  for (std::uint64_t sequence = 0; sequence < 64; ++sequence) {
    source.read(sequence, tokens);
    for (std::size_t i = 1; i < tokens.size(); ++i)
      EXPECT_EQ(tokens[i], tokens[0] + static_cast<std::int64_t>(i));
    starts.push_back(tokens[0]);
    other_seed.read(sequence, tokens);
    other_starts.push_back(tokens[0]);
  }
  EXPECT_NE(starts, other_starts);
  EXPECT_LT(*std::ranges::min_element(starts), 100);
  EXPECT_GT(*std::ranges::max_element(starts), 883);
  source.read(40, tokens);
  EXPECT_EQ(tokens[0], starts[40]);
}

TEST_F(Data, SequentialTextIsReadFromItsBeginningAndAgain) {
  std::vector<std::uint16_t> counting(33);
  std::iota(counting.begin(), counting.end(), std::uint16_t{0});
  config::DataConfig config = text_config({write("counting", counting)}, TokenFormat::kUint16);
  config.order = config::DataOrder::kSequential;
  const auto first_tokens = [&](const TextSequence& sequence) {
    const TextReader source(config, sequence, 5);
    Tokens firsts;
    Tokens tokens(sequence.tokens);
    for (std::uint64_t number = 0; number < 6; ++number) {
      source.read(number, tokens);
      EXPECT_EQ(tokens.back(), tokens.front() + static_cast<std::int64_t>(tokens.size()) - 1);
      firsts.push_back(tokens.front());
    }
    return firsts;
  };
  EXPECT_EQ(first_tokens({.tokens = 9, .stride = 8}), (Tokens{0, 8, 16, 24, 0, 8}))
      << "the last has its target";
  EXPECT_EQ(first_tokens({.tokens = 8, .stride = 8}), (Tokens{0, 8, 16, 24, 0, 8}));
  EXPECT_EQ(first_tokens({.tokens = 11, .stride = 10}), (Tokens{0, 10, 20, 0, 10, 20}));
}

TEST_F(Data, TheTargetIsTheInputShiftedByOne) {
  const fs::path path = write("text", std::string("the quick brown fox jumps over the lazy dog"));
  const TextReader source(text_config({path}), {.tokens = 9, .stride = 8}, 1);
  const LanguageBatches batches(
      std::make_unique<TextReader>(text_config({path}), TextSequence{.tokens = 9, .stride = 8}, 1),
      {.context = 8, .vocab = 256});
  const Batch batch = batches.read(12, 3);
  ASSERT_EQ(batch.input.sizes(), (std::vector<std::int64_t>{3, 8}));
  ASSERT_EQ(batch.target.sizes(), (std::vector<std::int64_t>{3, 8}));
  EXPECT_TRUE(at::equal(batch.input.narrow(1, 1, 7), batch.target.narrow(1, 0, 7)));
  Tokens tokens(9);
  source.read(13, tokens);
  EXPECT_EQ(batch.input[1][0].item<std::int64_t>(), tokens[0]);
  EXPECT_EQ(batch.target[1][7].item<std::int64_t>(), tokens[8]);
  EXPECT_FALSE(batch.input.is_alias_of(batch.target));
}

TEST_F(Data, ATokenOutsideOfTheVocabularyIsAnError) {
  const fs::path path = write("text", std::string("aaaa\xc8"));
  const LanguageBatches batches(
      std::make_unique<TextReader>(text_config({path}), TextSequence{.tokens = 5, .stride = 4}, 1),
      {.context = 4, .vocab = 200});
  const std::string message = data_error([&] { batches.read(0, 1); });
  EXPECT_NE(message.find("token 200 was read, but model.vocab is 200"), std::string::npos) << message;
}

TEST(SyntheticData, IsTheSameForTheSameSeedAndWithinTheVocabulary) {
  config::RunConfig config;
  config.data.source = config::DataSource::kSynthetic;
  config.model.vocab = 11;
  config.model.context = 32;
  const auto batch = [&](std::int64_t seed, std::uint64_t first) {
    config.seed = seed;
    return open_batch_reader(config)->read(first, 4).input;
  };
  EXPECT_TRUE(at::equal(batch(1, 8), batch(1, 8)));
  EXPECT_FALSE(at::equal(batch(1, 8), batch(2, 8)));
  EXPECT_TRUE(at::equal(batch(1, 8).narrow(0, 1, 3), batch(1, 9).narrow(0, 0, 3)));
  EXPECT_EQ(batch(1, 0).min().item<std::int64_t>(), 0);
  EXPECT_EQ(batch(1, 0).max().item<std::int64_t>(), 10);
}

TEST(SyntheticData, OfAClassifierOfSequencesHasAClassOfEach) {
  config::RunConfig config;
  config.model.task = config::Task::kSequenceClass;
  config.model.vocab = 11;
  config.model.context = 32;
  config.model.classes = 3;
  const Batch batch = open_batch_reader(config)->read(5, 64);
  EXPECT_EQ(batch.input.sizes(), (std::vector<std::int64_t>{64, 32}));
  EXPECT_EQ(batch.target.sizes(), (std::vector<std::int64_t>{64}));
  EXPECT_EQ(batch.target.min().item<std::int64_t>(), 0);
  EXPECT_EQ(batch.target.max().item<std::int64_t>(), 2);
  EXPECT_TRUE(at::equal(open_batch_reader(config)->read(6, 1).target, batch.target.narrow(0, 1, 1)));
}

TEST(SyntheticData, OfImagesIsTheSameForTheSameSeed) {
  config::RunConfig config;
  config.model.task = config::Task::kImageClass;
  config.model.classes = 10;
  config.model.image_size = 40;
  config.precision = config::Precision::kBf16;
  const Batch batch = open_batch_reader(config)->read(0, 3);
  EXPECT_EQ(batch.input.sizes(), (std::vector<std::int64_t>{3, 3, 40, 40}));
  EXPECT_EQ(batch.input.scalar_type(), at::kBFloat16);
  EXPECT_TRUE(at::equal(open_batch_reader(config)->read(2, 1).input, batch.input.narrow(0, 2, 1)));
  EXPECT_FALSE(at::equal(batch.input[0], batch.input[1]));
  config.seed = 1;
  EXPECT_FALSE(at::equal(open_batch_reader(config)->read(0, 3).input, batch.input));
}

TEST(HashData, IsWhatPythonWrites) {
  config::RunConfig config;
  config.data.source = config::DataSource::kHash;
  config.data.batch_size = 2;
  config.accumulation = 2;
  config.model.vocab = 64;
  config.model.context = 16;
  const auto source = open_batch_reader(config);
  // tests/data/numerics.json, data_step0: its first and its last sequence.
  const std::vector<std::int64_t> first{51, 51, 42, 27, 11, 17, 35, 17, 12, 42, 13, 7, 34, 18, 50, 20};
  const std::vector<std::int64_t> last{40, 25, 60, 19, 50, 38, 35, 18, 26, 39, 9, 48, 18, 32, 10, 50};
  EXPECT_TRUE(at::equal(source->read(0, 2).input[0], at::tensor(first)));
  EXPECT_TRUE(at::equal(source->read(2, 2).input[1], at::tensor(last)));
  EXPECT_FALSE(at::equal(source->read(4, 1).input[0], at::tensor(first))) << "the second step's";
}

}  // namespace
}  // namespace strata::trainer
