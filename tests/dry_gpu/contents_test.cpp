// SPDX-License-Identifier: Apache-2.0
// Known content of device memory, and the operations that make it unknown again.
#include "dry_gpu/device/memory/contents.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace strata::dry_gpu {
namespace {

constexpr Address kPlace = 0x300000000000;

class ContentsTest : public testing::Test {
 protected:
  void keep(Address address, const std::string& text) {
    contents_.keep(address, std::as_bytes(std::span(text)));
  }

  // '?' for each unknown byte, which must read as zero.
  std::string read(Address address, std::size_t bytes) {
    std::string text(bytes, 'x');
    std::size_t unknown = 0;
    for (std::size_t index = 0; index < bytes; ++index) {
      const auto place = std::as_writable_bytes(std::span(text).subspan(index, 1));
      if (contents_.read(address + index, place) == 0) continue;
      EXPECT_EQ(text[index], '\0');
      text[index] = '?';
      ++unknown;
    }
    std::string at_once(bytes, 'x');
    EXPECT_EQ(contents_.read(address, std::as_writable_bytes(std::span(at_once))), unknown);
    EXPECT_EQ(contents_.is_known(address, bytes), unknown == 0);
    for (std::size_t index = 0; index < bytes; ++index)
      EXPECT_EQ(at_once[index], text[index] == '?' ? '\0' : text[index]) << index;
    return text;
  }

  Counts counts_;
  Contents contents_{counts_, 16};
};

TEST_F(ContentsTest, KnowsWhatWasPutThere) {
  EXPECT_EQ(read(kPlace, 4), "????");
  keep(kPlace, "abcdef");
  EXPECT_EQ(read(kPlace - 2, 10), "??abcdef??");
  keep(kPlace + 2, "XY");
  EXPECT_EQ(read(kPlace, 6), "abXYef");
  keep(kPlace + 5, "123");
  EXPECT_EQ(read(kPlace, 8), "abXYe123");
  contents_.forget(kPlace + 1, 2);
  EXPECT_EQ(read(kPlace, 8), "a??Ye123");
  contents_.forget_all();
  EXPECT_EQ(read(kPlace, 8), "????????");
}

TEST_F(ContentsTest, MakesUnknownWhatIsTooLargeToKeep) {
  keep(kPlace, "abcdefgh");
  keep(kPlace + 4, std::string(17, 'x'));
  EXPECT_EQ(read(kPlace, 8), "abcd????");
  keep(kPlace + 4, std::string(16, 'x'));
  EXPECT_EQ(read(kPlace, 8), "abcdxxxx");
}

TEST_F(ContentsTest, KeepsAFillOfAnySizeAsOneValue) {
  contents_.fill(kPlace, std::uint64_t{1} << 40, std::byte{'f'});
  keep(kPlace + 100, "abc");
  EXPECT_EQ(read(kPlace + 98, 7), "ffabcff");
  EXPECT_EQ(read(kPlace + (std::uint64_t{1} << 40) - 2, 4), "ff??");
  EXPECT_TRUE(contents_.is_known(kPlace, std::uint64_t{1} << 40));
}

TEST_F(ContentsTest, CopiesWhatIsKnownAndWhatIsNot) {
  keep(kPlace, "abcdef");
  keep(kPlace + 100, "0123456789");
  contents_.copy(kPlace + 102, kPlace + 4, 4);
  EXPECT_EQ(read(kPlace + 100, 10), "01ef??6789");
  contents_.copy(kPlace + 2, kPlace, 6);
  EXPECT_EQ(read(kPlace, 9), "ababcdef?") << "over itself";
  contents_.fill(kPlace + 200, 50, std::byte{'f'});
  contents_.copy(kPlace + 300, kPlace + 198, 4);
  EXPECT_EQ(read(kPlace + 300, 4), "??ff");
  contents_.forget(kPlace, 9);
  EXPECT_EQ(read(kPlace + 102, 2), "ef") << "a copy stays when its source goes";
}

TEST_F(ContentsTest, KnowsNothingAfterWhateverMayHaveWritten) {
  keep(kPlace, "abc");
  counts_.launches.add();
  EXPECT_EQ(read(kPlace, 3), "???");
  keep(kPlace + 1, "b");
  EXPECT_EQ(read(kPlace, 3), "?b?") << "and what was before stays unknown";
  counts_.library_calls.add();
  contents_.copy(kPlace + 10, kPlace, 3);
  EXPECT_EQ(read(kPlace + 10, 3), "???");
  contents_.fill(kPlace, 1, std::byte{'f'});
  counts_.launches.add();
  contents_.forget(kPlace + 50, 1);
  EXPECT_EQ(read(kPlace, 1), "?");
}

TEST_F(ContentsTest, KeepsSmallBlocksThroughKernelsThatDoNotReachThem) {
  const auto launch = [&](const KernelEffect& effect) {
    contents_.follow(effect);
    counts_.launches.add();
  };
  contents_.add_block(kPlace, 512);
  contents_.add_block(kPlace + 512, 512);
  contents_.add_block(kPlace + 4096, 8192);
  keep(kPlace, "abcd");
  keep(kPlace + 512, "0123456789");
  keep(kPlace + 4096, "large");
  EXPECT_TRUE(contents_.has_lasting());
  launch({.written = {kPlace + 16384}, .perhaps_written = {kPlace, kPlace + 1023}});
  EXPECT_EQ(read(kPlace, 5), "abcd?") << "a number, which only a nearer address would mean";
  EXPECT_EQ(read(kPlace + 512, 4), "????");
  EXPECT_EQ(read(kPlace + 4096, 5), "?????");
  launch({.written = {kPlace + 511}});
  EXPECT_EQ(read(kPlace, 4), "????");

  keep(kPlace, "abcd");
  keep(kPlace + 512, "0123456789");
  counts_.library_calls.add();
  EXPECT_EQ(read(kPlace, 4), "abcd");
  EXPECT_EQ(read(kPlace + 512, 4), "????") << "it may be a matrix";
  keep(kPlace + 512, "0123456789");
  contents_.follow_calls(2);
  counts_.library_calls.add(2);
  EXPECT_EQ(read(kPlace + 512, 4), "0123") << "calls whose results are followed";
  counts_.library_calls.add();
  EXPECT_EQ(read(kPlace + 512, 4), "????");
  counts_.launches.add();
  EXPECT_EQ(read(kPlace, 4), "????") << "a kernel that was not followed";
  keep(kPlace, "abcd");
  contents_.forget_block(kPlace + 100);
  EXPECT_EQ(read(kPlace, 4), "????");
  keep(kPlace, "abcd");
  contents_.remove_block(kPlace, 512);
  EXPECT_EQ(read(kPlace, 4), "????");
}

TEST_F(ContentsTest, ComputesWithWhatItKnows) {
  contents_.add_block(kPlace, 512);
  contents_.add_block(kPlace + 512, 512);
  const Computation fill{.kind = Computation::Kind::kFill,
                         .type = '\0',
                         .element_bytes = 4,
                         .number = {std::byte{'a'}, std::byte{'b'}, std::byte{'c'}, std::byte{'d'}}};
  contents_.follow({.written = {kPlace}, .computation = fill, .results = {{kPlace, 0, 2, 0}}});
  counts_.launches.add();
  EXPECT_EQ(read(kPlace, 9), "abcdabcd?");
  const Computation add{
      .kind = Computation::Kind::kAdd, .type = 'i', .element_bytes = 4, .number = {std::byte{1}}};
  const KernelEffect sum{
      .written = {kPlace + 512}, .computation = add, .results = {{kPlace + 512, kPlace, 1, 4}}};
  contents_.follow(sum);
  counts_.launches.add();
  EXPECT_EQ(read(kPlace + 512, 5), "bbcd?");
  contents_.forget(kPlace, 1);
  contents_.follow(sum);
  counts_.launches.add();
  EXPECT_EQ(read(kPlace + 512, 4), "????");
}

TEST_F(ContentsTest, KeepsNothingWhenTold) {
  Contents nothing(counts_, 0);
  nothing.keep(kPlace, std::as_bytes(std::span("abc", 3)));
  nothing.fill(kPlace + 8, 8, std::byte{1});
  EXPECT_FALSE(nothing.is_known(kPlace, 3));
  EXPECT_FALSE(nothing.is_known(kPlace + 8, 8));

  keep(kPlace, "abc");
  contents_.keep_nothing();
  EXPECT_EQ(read(kPlace, 3), "???");
  keep(kPlace, "abc");
  contents_.fill(kPlace, 3, std::byte{'f'});
  EXPECT_EQ(read(kPlace, 3), "???");
}

TEST_F(ContentsTest, TakesNoMoreOfTheHostThanItMay) {
  Contents large(counts_, std::uint64_t{64} << 20);
  const std::vector<std::byte> bytes(std::size_t{40} << 20, std::byte{7});
  large.keep(kPlace, bytes);
  EXPECT_TRUE(large.is_known(kPlace, bytes.size()));
  large.keep(kPlace + bytes.size(), bytes);
  EXPECT_FALSE(large.is_known(kPlace, 1));
  EXPECT_TRUE(large.is_known(kPlace + bytes.size(), bytes.size()));
}

}  // namespace
}  // namespace strata::dry_gpu
