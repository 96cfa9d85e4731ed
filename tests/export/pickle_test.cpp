// SPDX-License-Identifier: Apache-2.0
#include "host/export/snapshot/pickle.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/export/limited_unpickler.hpp"
#include "tests/export/text_output.hpp"

namespace strata::exports {
namespace {

using Json = nlohmann::json;

template <typename Body>
Json written(Body body) {
  testing::TextOutput output;
  Buffer buffer(output);
  Pickle pickle(buffer);
  body(pickle);
  pickle.finish();
  return testing::unpickle(output.text());
}

Json number(std::uint64_t value) {
  return written([&](Pickle& pickle) { pickle.integer(value); });
}

TEST(Pickle, HoldsNumbersOfEverySize) {
  std::uint64_t value = 1;
  for (int bits = 0; bits < 63; ++bits, value *= 2) {
    EXPECT_EQ(number(value - 1), value - 1);
    EXPECT_EQ(number(value), value);
  }
}

TEST(Pickle, TakesTheHighestBitFromWhatOlderReadersCannotHold) {
  EXPECT_EQ(number(std::numeric_limits<std::uint64_t>::max()), INT64_MAX);
  EXPECT_EQ(number((std::uint64_t{1} << 63) + 5), 5);
}

TEST(Pickle, HandsItemsOverByTheThousand) {
  for (const int count : {0, 1, 999, 1000, 1001, 5000}) {
    const Json list = written([&](Pickle& pickle) {
      pickle.begin_list();
      for (int item = 0; item < count; ++item) {
        pickle.item();
        pickle.begin_list();
        pickle.item();
        pickle.integer(static_cast<std::uint64_t>(item));
        pickle.end_list();
      }
      pickle.end_list();
    });
    ASSERT_EQ(list.size(), static_cast<std::size_t>(count));
    for (int item = 0; item < count; ++item) ASSERT_EQ(list[static_cast<std::size_t>(item)], Json({item}));
  }
}

TEST(Pickle, RecallsWhatItRemembered) {
  const Json list = written([](Pickle& pickle) {
    pickle.begin_list();
    std::vector<Pickle::Memo> memos;
    for (int index = 0; index < 300; ++index) {
      pickle.item();
      pickle.text("text " + std::to_string(index));
      memos.push_back(pickle.remember());
    }
    for (const Pickle::Memo memo : memos) {
      pickle.item();
      pickle.recall(memo);
    }
    for (int twice = 0; twice < 2; ++twice) {
      pickle.item();
      pickle.repeated("again");
    }
    pickle.end_list();
  });
  ASSERT_EQ(list.size(), 602u);
  for (std::size_t index = 0; index < 300; ++index) EXPECT_EQ(list[index], list[300 + index]);
  EXPECT_EQ(list[299], "text 299");
  EXPECT_EQ(list[600], "again");
  EXPECT_EQ(list[601], "again");
}

TEST(Pickle, MakesTextValid) {
  EXPECT_EQ(written([](Pickle& pickle) { pickle.text("quote \" bad \xff end"); }), "quote \" bad \uFFFD end");
}

TEST(LimitedUnpickler, RefusesWhatMemoryVizCannotRead) {
  using namespace std::string_literals;
  EXPECT_EQ(testing::unpickle("\x80\x04K\x05."s), 5);
  EXPECT_THROW(testing::unpickle("\x80\x05K\x05."s), std::runtime_error);
  EXPECT_THROW(testing::unpickle("\x80\x02I5\n."s), std::runtime_error);
  EXPECT_THROW(testing::unpickle("\x80\x02\x8a\x09\0\0\0\0\0\0\0\0\1."s), std::runtime_error);
  EXPECT_THROW(testing::unpickle("\x80\x02](" + std::string(2002, 'N') + "e."), std::runtime_error);
  std::string items;
  for (int item = 0; item < 1001; ++item) items += "K\1"s;
  EXPECT_THROW(testing::unpickle("\x80\x02](" + items + "e."), std::runtime_error);
}

}  // namespace
}  // namespace strata::exports
