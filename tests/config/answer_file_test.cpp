// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/answer_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/config/files/number_type.hpp"
#include "host/config/problem.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::config {
namespace {

class AnswerFile : public testing::Test {
 protected:
  std::vector<Answer> load(const std::string& answers) const {
    return load_answers(folder_.write("answers.yaml", "schema: strata.answers/1\nanswers:\n" + answers));
  }

  // The problems, without the folder's name.
  std::string problems(const std::string& text) const {
    try {
      load_answers(folder_.write("answers.yaml", text));
      return "none";
    } catch (const ConfigError& error) {
      std::string all = error.what();
      const std::string prefix = folder_.path().string() + "/";
      for (std::size_t at = all.find(prefix); at != std::string::npos; at = all.find(prefix))
        all.erase(at, prefix.size());
      return all;
    }
  }

  test::TemporaryFolder folder_;
};

TEST_F(AnswerFile, IsReadIntoBytes) {
  const std::vector<Answer> answers = load(R"(
- {reader: aten::_local_scalar_dense, type: float32, values: [1.0, -2]}
- {reader: aten::nonzero, type: int32, values: [17, -1], then: unknown}
- {reader: aten::nonzero, type: int64, values: [258], then: cycle}
)");
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].reader, "aten::_local_scalar_dense");
  EXPECT_EQ(answers[0].value_bytes, 4u);
  EXPECT_EQ(answers[0].values, "0000803f000000c0");
  EXPECT_EQ(answers[0].then, "repeat_last");
  EXPECT_EQ(answers[1].values, "11000000ffffffff");
  EXPECT_EQ(answers[1].then, "unknown");
  EXPECT_EQ(answers[2].values, "0201000000000000");
}

TEST_F(AnswerFile, SaysEverythingThatIsWrongAtOnce) {
  EXPECT_EQ(problems(R"(schema: strata.answers/2
answer: []
answers:
- {reader: two words, type: float31, values: [1], then: once}
- {reader: aten::nonzero, type: uint8, values: [1, 256, x], if: now}
- {reader: aten::nonzero, type: int8, values: []}
- {type: bool, values: [2]}
- 5
)"),
            "answers.yaml:1:9: schema: expected strata.answers/1, the version of this format\n"
            "answers.yaml:2:1: answer: unknown key; did you mean 'answers'?\n"
            "answers.yaml:4:12: answers[0].reader: expected a reader in one word, as in unknown_reads_by of "
            "an account (aten::_local_scalar_dense for .item()), found 'two words'\n"
            "answers.yaml:4:29: answers[0].type: expected one of bool, uint8, int8, int16, int32, int64, "
            "float16, bfloat16, float32, float64, found 'float31'; did you mean 'float32'?\n"
            "answers.yaml:4:57: answers[0].then: expected repeat_last, cycle, unknown, found 'once'\n"
            "answers.yaml:5:52: answers[1].values: expected an integer from 0 to 255, found '256'\n"
            "answers.yaml:5:57: answers[1].values: expected an integer from 0 to 255, found 'x'\n"
            "answers.yaml:5:61: answers[1].if: unknown key\n"
            "answers.yaml:6:3: answers[2]: answers[1] already answers reads by aten::nonzero of 1 byte: put "
            "all values into one list\n"
            "answers.yaml:6:47: answers[2].values: expected a list of values in the order in which they are "
            "read, found an empty list\n"
            "answers.yaml:7:3: answers[3].reader: expected a reader in one word, as in unknown_reads_by of "
            "an account (aten::_local_scalar_dense for .item()), found nothing\n"
            "answers.yaml:7:25: answers[3].values: expected true or false, found '2'\n"
            "answers.yaml:8:3: answers[4]: expected {reader, type, values, then}, found '5'");
  EXPECT_EQ(problems("schema: strata.answers/1\n"),
            "answers.yaml: answers: expected a list of answers, found nothing");
}

std::string encoded(std::string_view type, std::string_view text) {
  return NumberType::find(type)->encode(text).value_or("none");
}

TEST(NumberType, HoldsItsRange) {
  EXPECT_EQ(encoded("bool", "yes"), "01");
  EXPECT_EQ(encoded("uint8", "255"), "ff");
  EXPECT_EQ(encoded("uint8", "-1"), "none");
  EXPECT_EQ(encoded("int8", "-128"), "80");
  EXPECT_EQ(encoded("int16", "32768"), "none");
  EXPECT_EQ(encoded("int64", "-2"), "feffffffffffffff");
  EXPECT_EQ(encoded("int32", "1.5"), "none");
  EXPECT_FALSE(NumberType::find("float").has_value());
}

// Half precision against its own limits: 65504 is the largest number, 2^-24 the smallest above zero.
TEST(NumberType, RoundsRealsToTheNearest) {
  EXPECT_EQ(encoded("float16", "1"), "003c");
  EXPECT_EQ(encoded("float16", "-0.0"), "0080");
  EXPECT_EQ(encoded("float16", "65504"), "ff7b");
  EXPECT_EQ(encoded("float16", "65519"), "ff7b");
  EXPECT_EQ(encoded("float16", "65520"), "none");
  EXPECT_EQ(encoded("float16", "5.9604644775390625e-08"), "0100");
  EXPECT_EQ(encoded("float16", "6.103515625e-05"), "0004") << "the least normal number";
  EXPECT_EQ(encoded("float16", "2.98e-08"), "0000");
  EXPECT_EQ(encoded("float16", "2047.5"), "0068") << "a tie goes to the even one, 2048";
  EXPECT_EQ(encoded("bfloat16", "1.0"), "803f");
  EXPECT_EQ(encoded("bfloat16", "-3.140625"), "49c0");
  EXPECT_EQ(encoded("float32", "0.1"), "cdcccc3d");
  EXPECT_EQ(encoded("float32", "1e39"), "none");
  EXPECT_EQ(encoded("float32", "-.inf"), "000080ff");
  EXPECT_EQ(encoded("float16", ".nan"), "007e");
  EXPECT_EQ(encoded("float64", "0.1"), "9a9999999999b93f");
  EXPECT_EQ(encoded("float64", "one"), "none");
}

}  // namespace
}  // namespace strata::config
