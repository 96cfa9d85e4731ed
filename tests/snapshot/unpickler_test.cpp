// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/pickle/unpickler.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "host/snapshot/pickle/opcodes.hpp"
#include "host/snapshot/snapshot_error.hpp"
#include "tests/snapshot/snapshot_pickle.hpp"

namespace strata::snapshot {
namespace {

using namespace std::string_literals;
using testing::bytes_of;

// Protocol 4, the opcodes, and the end.
std::string pickled(const std::string& opcodes) {
  return "\x80\x04"s + opcodes + ".";
}

std::string little_endian(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t index = 0; index < bytes; ++index) text += static_cast<char>(value >> (8 * index));
  return text;
}

std::int64_t integer_of(const std::string& opcodes) {
  const std::string file = pickled(opcodes);
  Unpickler pickle(bytes_of(file), "file", nullptr);
  return pickle.integer(pickle.read()).value();
}

std::string refusal_of_file(const std::string& file) {
  try {
    Unpickler(bytes_of(file), "file.pickle", nullptr).read();
  } catch (const SnapshotError& error) {
    return error.what();
  }
  return "";
}

std::string refusal(const std::string& opcodes) {
  return refusal_of_file(pickled(opcodes));
}

TEST(Unpickler, ReadsIntegersOfEverySize) {
  EXPECT_EQ(integer_of("K\xff"), 255);
  EXPECT_EQ(integer_of("M\xff\xff"), 65535);
  EXPECT_EQ(integer_of("J" + little_endian(static_cast<std::uint32_t>(-7), 4)), -7);
  EXPECT_EQ(integer_of("\x8a\x00"s), 0);
  EXPECT_EQ(integer_of("\x8a\x01\xff"), -1);
  EXPECT_EQ(integer_of("\x8a\x05\x00\x00\x00\x00\x01"s), std::int64_t{1} << 32);
  EXPECT_EQ(integer_of("\x8a\x08" + little_endian(0x7fffffffffffffff, 8)), INT64_MAX);
  EXPECT_EQ(integer_of("\x8a\x08" + little_endian(0x8000000000000000, 8)), INT64_MIN);
  // An address of 64 bits, as unsigned.
  EXPECT_EQ(static_cast<std::uint64_t>(integer_of("\x8a\x09" + little_endian(0xffff000000000200, 8) + "\0"s)),
            0xffff000000000200);
  EXPECT_EQ(integer_of("\x8b" + little_endian(2, 4) + "\x00\x01"s), 256);
}

TEST(Unpickler, ReadsListsTuplesDictsAndTexts) {
  const std::string file = pickled(
      "}\x94(\x8c\x01"
      "a\x94](K\x01K\x02"
      "eX\x01\0\0\0bK\x01K\x02\x86u"s);
  Unpickler pickle(bytes_of(file), "file", nullptr);
  const Value dict = pickle.read();
  ASSERT_TRUE(pickle.is_dict(dict));
  const auto items = pickle.items(dict);
  ASSERT_EQ(items.size(), 4u);
  EXPECT_EQ(pickle.texts()[pickle.text(items[0]).value()], "a");
  ASSERT_TRUE(pickle.is_list(items[1]));
  EXPECT_EQ(pickle.items(items[1]).size(), 2u);
  EXPECT_TRUE(pickle.is_tuple(items[3]));
}

TEST(Unpickler, KeepsReferencesToOneList) {
  // [[1]] whose inner list is appended to after it was stored, and referred to again.
  const std::string file = pickled(
      "]\x94(]\x94h\x01K\x05"
      "ae");
  Unpickler pickle(bytes_of(file), "file", nullptr);
  const Value outer = pickle.read();
  const auto items = pickle.items(outer);
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0], items[1]);
  EXPECT_EQ(pickle.items(items[0]).size(), 1u);
}

TEST(Unpickler, ReadsAListLongerThanOneBatch) {
  std::string opcodes = "]\x94";
  for (int batch = 0; batch < 5; ++batch) {
    opcodes += "(";
    for (int item = 0; item < 1000; ++item) opcodes += "]";  // which lie between the batches
    opcodes += "e";
  }
  const std::string file = pickled(opcodes);
  Unpickler pickle(bytes_of(file), "file", nullptr);
  EXPECT_EQ(pickle.items(pickle.read()).size(), 5000u);
}

TEST(Unpickler, RefusesEveryOpcodeThatRunsCodeAndNamesIt) {
  for (const opcode::Refused& refused : opcode::kRefused) {
    const std::string said = refusal(std::string("N") + static_cast<char>(refused.opcode) + "os\nsystem\n");
    EXPECT_NE(said.find(refused.name), std::string::npos) << refused.name << ": " << said;
    EXPECT_NE(said.find("at byte 3"), std::string::npos) << said;
  }
}

TEST(Unpickler, KnowsOrRefusesEveryByteAsAnOpcode) {
  for (int opcode = 0; opcode < 256; ++opcode) {
    if (opcode == '.') continue;
    const std::string file = "\x80\x02"s + static_cast<char>(opcode);
    EXPECT_NE(refusal_of_file(file), "") << opcode;
  }
}

TEST(Unpickler, RefusesAProgramThatWouldRemoveFiles) {
  const std::string said =
      refusal_of_file("\x80\x04\x8c\x02os\x94\x8c\x06system\x94\x93\x94\x8c\x04true\x94\x85\x94R.");
  EXPECT_NE(said.find("STACK_GLOBAL would import or call code"), std::string::npos) << said;
  EXPECT_NE(said.find("Nothing was run"), std::string::npos) << said;
}

TEST(Unpickler, RefusesAFileCutShortAtEachByte) {
  const std::string whole =
      testing::SnapshotPickle({{.trace = {{.action = "alloc", .address = 512, .bytes = 512}},
                                .segments = {{512, 2 * testing::kMiB, {{512, 512, 512}}}}}})
          .text();
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_NE(refusal_of_file(whole.substr(0, bytes)), "") << bytes;
  EXPECT_EQ(refusal_of_file(whole), "");
}

TEST(Unpickler, RefusesLengthsBeyondTheFile) {
  EXPECT_NE(refusal("X\xff\xff\xff\x7f"
                    "abc")
                .find("beyond the file's end"),
            std::string::npos);
  EXPECT_NE(refusal("\x8d" + little_endian(UINT64_MAX, 8)).find("beyond the file's end"), std::string::npos);
  EXPECT_NE(refusal("B\xff\xff\xff\xff").find("beyond the file's end"), std::string::npos);
  EXPECT_NE(refusal("\x95" + little_endian(UINT64_MAX, 8)).find("frame"), std::string::npos);
  EXPECT_NE(refusal("\x8b" + little_endian(UINT32_MAX, 4)).find("beyond the file's end"), std::string::npos);
  EXPECT_NE(refusal("\x8a\x10" + std::string(16, '\x7f')).find("16 bytes"), std::string::npos);
}

TEST(Unpickler, RefusesMemoEntriesThatLeaveGaps) {
  EXPECT_NE(refusal("Nr\xff\xff\xff\x7f").find("memo"), std::string::npos);
  EXPECT_NE(refusal("h\x05").find("memo has no entry 5"), std::string::npos);
}

TEST(Unpickler, RefusesAnUnbalancedStack) {
  for (const char* opcodes : {"",   "NN",  "(N", "0",    "1",  "2",   "e",    "u",    "a",     "s",
                              "Na", "NNs", "t",  "\x85", "Ne", "(Ne", "N(Ne", "}(Nu", "](NNu", "(}Ns"}) {
    EXPECT_NE(refusal(opcodes), "") << opcodes;
  }
}

TEST(Unpickler, ReadsDeepNestingWithoutRecursion) {
  EXPECT_EQ(refusal(std::string(1'000'000, ']') + std::string(999'999, 'a')), "");
  EXPECT_EQ(refusal(std::string(1'000'000, '(') + std::string(1'000'000, 't')), "");
}

TEST(Unpickler, ReadsABillionLaughsOnce) {
  // Each list refers to the one before ten times: 10^60 items if they were copies.
  std::string opcodes = "]\x94";
  for (int level = 0; level < 60; ++level) {
    opcodes += "]\x94(";
    for (int item = 0; item < 10; ++item) opcodes += std::string("h") + static_cast<char>(level);
    opcodes += "e";
  }
  const std::string file = "\x80\x04("s + opcodes + "t.";
  Unpickler pickle(bytes_of(file), "file", nullptr);
  EXPECT_EQ(pickle.items(pickle.read()).size(), 61u);
}

TEST(Unpickler, RefusesOtherFiles) {
  EXPECT_NE(refusal_of_file("{\"a\": 1}").find("is not a pickle"), std::string::npos);
  EXPECT_NE(refusal_of_file("").find("is not a pickle"), std::string::npos);
  EXPECT_NE(refusal_of_file("\x80\x09.").find("protocol 9"), std::string::npos);
}

}  // namespace
}  // namespace strata::snapshot
