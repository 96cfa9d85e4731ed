// SPDX-License-Identifier: Apache-2.0
// CUPTI's own iteration over records, in hand-made buffers: it needs no driver. This checks that the headers'
// record layout matches the library, and that the decoder gives the same result.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sources/cupti/api/functions.hpp"
#include "tests/sources_cupti/hand_made_buffer.hpp"

namespace strata::cupti {
namespace {

class RealCupti : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(STRATA_REAL_CUPTI))
      GTEST_SKIP() << STRATA_REAL_CUPTI << " is not there: this torch came without it";
    void* const library = dlopen(STRATA_REAL_CUPTI, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
    functions_ = find_functions(library);
  }

  // The end of the last record that the library returned.
  std::size_t consumed(std::span<std::uint8_t> buffer, std::size_t last_bytes) {
    CUpti_Activity* record = nullptr;
    std::size_t begin = 0;
    while (functions_.cuptiActivityGetNextRecord(buffer.data(), buffer.size(), &record) == CUPTI_SUCCESS)
      begin =
          static_cast<std::size_t>(static_cast<std::uint8_t*>(static_cast<void*>(record)) - buffer.data());
    return begin + last_bytes;
  }

  Functions functions_;
};

TEST_F(RealCupti, StepsOverOneRecordOfEachKindAndTheDecoderTellsThem) {
  DecodedLines told;
  std::uint64_t origin = told.origins().note({7, 8, 9});
  HandMadeBuffer buffer = one_of_each(origin);
  EXPECT_EQ(consumed(buffer.span(), sizeof(CUpti_ActivityJit2)), buffer.bytes())
      << "a record that is cut off is not reported, but left out";

  RecordDecoder decoder(told.setup(functions_.cuptiActivityGetNextRecord, functions_.cuptiGetCallbackName));
  decoder.decode(buffer.span());
  decoder.finish();
  EXPECT_EQ(told.lines(), lines_of_one_of_each());
  const RecordCounts counts = decoder.take_counts();
  EXPECT_EQ(counts.activities, told.lines().size());
  EXPECT_EQ(counts.launches, 1u);
  EXPECT_EQ(counts.answered_launches, 1u);
  EXPECT_EQ(counts.without_call, 0u);
  EXPECT_EQ(counts.other_records, 0u);
  EXPECT_EQ(counts.broken_buffers, 0u);
}

TEST_F(RealCupti, ARecordThatIsCutOffIsNotTold) {
  DecodedLines told;
  HandMadeBuffer buffer = one_of_each(told.origins().note({7, 8, 9}));
  RecordDecoder decoder(told.setup(functions_.cuptiActivityGetNextRecord, functions_.cuptiGetCallbackName));
  decoder.decode(buffer.span().first(buffer.bytes() - 8));
  decoder.finish();
  std::vector<std::string> all_but_one = lines_of_one_of_each();
  all_but_one.pop_back();
  EXPECT_EQ(told.lines(), all_but_one);
}

TEST_F(RealCupti, WhatIsNoRecordEndsTheBuffer) {
  DecodedLines told;
  HandMadeBuffer buffer = one_of_each(told.origins().note({7, 8, 9}));
  const std::uint64_t zeroes[4] = {};
  buffer.add(zeroes);
  RecordDecoder decoder(told.setup(functions_.cuptiActivityGetNextRecord, functions_.cuptiGetCallbackName));
  decoder.decode(buffer.span());
  decoder.finish();
  EXPECT_EQ(told.lines(), lines_of_one_of_each());
  EXPECT_EQ(decoder.take_counts().broken_buffers, 1u);
}

// The broker relies on this before it knows whether there is a driver.
TEST_F(RealCupti, TellsItsTimeWithoutADriver) {
  std::uint64_t ns = 0;
  ASSERT_EQ(functions_.cuptiGetTimestamp(&ns), CUPTI_SUCCESS);
  const ClockMap::Read timestamp = [&]() -> std::optional<std::uint64_t> {
    std::uint64_t now = 0;
    if (functions_.cuptiGetTimestamp(&now) != CUPTI_SUCCESS) return std::nullopt;
    return now;
  };
  ClockMap clock;
  EXPECT_EQ(clock.begin(timestamp), "");
}

}  // namespace
}  // namespace strata::cupti
