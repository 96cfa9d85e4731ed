// SPDX-License-Identifier: Apache-2.0
// The columns, read back by an independent reader written from their description in docs/report.md.
#include "host/report/stream/event_columns.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "host/report/stream/block_sites.hpp"
#include "host/report/stream/packed.hpp"
#include "host/report/stream/stack_texts.hpp"
#include "host/report/words/reasons.hpp"
#include "tests/report/hostile_facts.hpp"
#include "tests/report/simulated_training.hpp"

namespace strata::report {
namespace {

using analysis::Facts;

std::string from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : text) {
    if (digit == '=') break;
    bits = bits << 6U | static_cast<std::uint32_t>(digits.find(digit));
    held += 6;
    if (held >= 8) bytes += static_cast<char>(bits >> static_cast<unsigned>(held -= 8) & 0xffU);
  }
  return bytes;
}

std::string inflated(std::string bytes, std::size_t length) {
  std::string out(length + 1, '\0');
  z_stream state{};
  EXPECT_EQ(inflateInit2(&state, -15), Z_OK);
  state.next_in = reinterpret_cast<Bytef*>(bytes.data());
  state.avail_in = static_cast<uInt>(bytes.size());
  state.next_out = reinterpret_cast<Bytef*>(out.data());
  state.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&state, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(state.total_out, length);
  inflateEnd(&state);
  out.resize(length);
  return out;
}

class Reader {
 public:
  Reader(const Facts& facts, const EventStream& stream) {
    const EventColumns columns = event_columns(facts, stream, facts.begin_ns);
    directory = columns.directory(stream);
    std::size_t length = 0, at = 0;
    for (const auto& section : directory["sections"]) length += section[1].get<std::size_t>();
    const std::string all = inflated(from_base64(columns.packed()), length);
    for (const auto& section : directory["sections"]) {
      sections_[section[0]] = all.substr(at, section[1]);
      at += section[1].get<std::size_t>();
    }
  }

  std::vector<std::uint64_t> numbers(const std::string& section) const {
    std::vector<std::uint64_t> list;
    std::uint64_t number = 0;
    unsigned shift = 0;
    for (const char byte : sections_.at(section)) {
      number |= (static_cast<std::uint64_t>(byte) & 0x7fU) << shift;
      shift += 7;
      if ((static_cast<unsigned>(byte) & 0x80U) != 0) continue;
      list.push_back(number);
      number = shift = 0;
    }
    return list;
  }
  const std::string& bytes(const std::string& section) const { return sections_.at(section); }
  nlohmann::json texts() const { return nlohmann::json::parse(sections_.at("texts")); }

  nlohmann::json directory;

 private:
  std::map<std::string, std::string> sections_;
};

void expect_round_trip(const Facts& facts) {
  const EventStream stream = event_stream(facts);
  const Reader reader(facts, stream);
  const auto times = reader.numbers("times"), references = reader.numbers("references");
  auto sizes = reader.numbers("sizes");
  std::partial_sum(sizes.begin(), sizes.end(), sizes.begin());
  const auto size_of = reader.numbers("size_of");
  const auto sites = reader.numbers("sites"), site_of = reader.numbers("site_of");
  const auto texts = reader.texts();
  ASSERT_EQ(times.size(), stream.events.size());
  ASSERT_EQ(references.size(), stream.events.size());
  ASSERT_EQ(size_of.size(), stream.allocations.size());
  std::int64_t ns = facts.begin_ns;
  std::uint64_t made = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    ns += static_cast<std::int64_t>(times[i]);
    ASSERT_EQ(ns, stream.events[i].ns);
    ASSERT_EQ(references[i] != 0, stream.events[i].frees);
    ASSERT_EQ(references[i] == 0 ? made : made - references[i], stream.events[i].allocation);
    if (references[i] == 0) ++made;
  }
  const auto text = [&](std::uint64_t index) { return texts.at(index).get<std::string>(); };
  for (std::size_t i = 0; i < size_of.size(); ++i) {
    const analysis::Block& block = facts.blocks[stream.allocations[i].block];
    ASSERT_EQ(sizes.at(size_of[i]), block.bytes);
    const auto* site = &sites.at(site_of[i] * 9);
    ASSERT_EQ(site[0], static_cast<std::uint64_t>(block.category));
    ASSERT_EQ(text(site[1]), to_string(block.kind));
    ASSERT_EQ(text(site[2]), reason_text(block.reason));
    ASSERT_EQ(text(site[3]).substr(0, 20),
              nlohmann::json::parse(nlohmann::json(facts.texts[block.name])
                                        .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
                  .get<std::string>()
                  .substr(0, 20));
    ASSERT_LE(text(site[4]).size(), 400U);
    const analysis::TensorForm& form = facts.forms.at(block.form);
    ASSERT_EQ(text(site[7]), facts.texts[form.dtype]);
    ASSERT_EQ(text(site[8]), facts.texts[form.shape]);
  }
}

TEST(EventColumns, GiveBackEveryEventAndEverySite) {
  expect_round_trip(testing::simulate({.steps = 3, .first_active_step = 1, .layers = 2}));
}

TEST(EventColumns, GiveBackHostileNames) {
  expect_round_trip(testing::hostile_facts());
}

TEST(EventColumns, OfAnEmptyRunAreEmpty) {
  const Facts facts;
  const Reader reader(facts, event_stream(facts));
  EXPECT_EQ(reader.directory["count"], 0);
  EXPECT_TRUE(reader.numbers("times").empty());
}

TEST(EventColumns, HoldSizesOfAnyNumberOfBits) {
  Facts facts;
  facts.texts.emplace_back();
  for (std::uint64_t shift = 0; shift < 53; ++shift) {
    analysis::Block block;
    block.bytes = (std::uint64_t{1} << shift) + shift;
    block.birth_sequence = shift + 1;
    facts.blocks.push_back(block);
  }
  expect_round_trip(facts);
}

TEST(EventColumns, SayWhenHowMuchWasReserved) {
  Facts facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  facts.reserved = {{facts.points[3].sequence, 0, 500, 0, 500, {}},
                    {facts.points[8].sequence, 0, 120, 0, -380, {}}};
  const Reader reader(facts, event_stream(facts));
  EXPECT_EQ(reader.numbers("reserved"), (std::vector<std::uint64_t>{3, 1000, 5, 759}));
}

TEST(EventColumns, TellTheLargestStacksLineByLine) {
  Facts facts = testing::simulate({.steps = 2, .first_active_step = 1, .layers = 1});
  facts.call_stacks.addresses.resize(2);
  facts.call_stacks.python_of = {0, 1};
  facts.call_stacks.python = {{{"small", "train.py", 3}},
                              {{"forward", "model.py", 7}, {"step", "train.py", 9}}};
  facts.call_stacks.taken = {{facts.blocks[0].birth_sequence, 0, 1.0},
                             {facts.blocks[2].birth_sequence, 1, 1.0}};
  facts.blocks[0].bytes = 10;
  const EventStream stream = event_stream(facts);
  const Reader reader(facts, stream);
  const auto texts = nlohmann::json::parse(reader.bytes("stacks"));
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_NE(texts[0].get<std::string>().find("forward  model.py:7\nstep"), std::string::npos) << texts[0];
  const auto stack_of = reader.numbers("stack_of");
  ASSERT_EQ(stack_of.size(), facts.blocks.size());
  EXPECT_EQ(stack_of[0], 2U);
  EXPECT_EQ(stack_of[1], 0U);
  EXPECT_EQ(stack_of[2], 1U);
  EXPECT_EQ(stack_texts(facts, stream, {.stacks = 1, .frames = 1}).texts.size(), 1U);
}

TEST(BlockSites, LeaveOutNamesBeyondTheirLimit) {
  Facts facts;
  facts.texts.emplace_back();
  for (std::uint32_t i = 0; i < 100; ++i) {
    facts.texts.push_back("a name of some length " + std::to_string(i));
    analysis::Block block;
    block.birth_sequence = i + 1;
    block.name = i + 1;
    facts.blocks.push_back(block);
  }
  const BlockSites sites =
      block_sites(facts, event_stream(facts), {.text_bytes = 50, .all_texts_bytes = 1000});
  EXPECT_EQ(sites.sites.size(), 100U);
  EXPECT_GT(sites.texts_left_out, 50U);
  EXPECT_EQ(sites.texts.size() + sites.texts_left_out, 103U);
  EXPECT_EQ(sites.texts[sites.sites.back().name], "…");
}

TEST(Packed, Base64IsThatOfTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar\xff\x80"), "Zm9vYmFy/4A=");
}

}  // namespace
}  // namespace strata::report
