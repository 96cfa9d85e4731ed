// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/model/read_snapshot.hpp"

#include <gtest/gtest.h>

#include <string>

#include "host/snapshot/snapshot_error.hpp"
#include "tests/snapshot/snapshot_pickle.hpp"

namespace strata::snapshot {
namespace {

using namespace std::string_literals;
using testing::bytes_of;

std::string refusal_of_snapshot(const std::string& file) {
  try {
    read_snapshot(bytes_of(file), "file.pickle");
  } catch (const SnapshotError& error) {
    return error.what();
  }
  return "";
}

TEST(ReadSnapshot, KeepsWhatTorchAndTheProgramSay) {
  const std::string file = testing::SnapshotPickle({{.trace = {{.action = "alloc",
                                                                .address = 512,
                                                                .bytes = 512,
                                                                .stream = 7,
                                                                .category = "gradient",
                                                                .user_metadata = "of the head"}}}})
                               .text();
  const Snapshot snapshot = read_snapshot(bytes_of(file), "file");
  ASSERT_EQ(snapshot.entries.size(), 1u);
  const TraceEntry& entry = snapshot.entries[0];
  EXPECT_EQ(entry.action, Action::kAllocate);
  EXPECT_EQ(entry.stream, 7u);
  EXPECT_EQ(snapshot.texts[snapshot.notes[entry.note].category], "gradient");
  EXPECT_EQ(snapshot.texts[snapshot.notes[entry.note].user_metadata], "of the head");
  EXPECT_EQ(snapshot.settings.is_known, false);
}

TEST(ReadSnapshot, KeepsEqualStacksOnce) {
  // {"segments": [], "device_traces": [[two entries with equal stacks of their own frames]]}
  const std::string frame =
      "}(\x8c\x04name\x8c\x01"
      "f\x8c\x08"
      "filename\x8c\x04"
      "a.py\x8c\x04lineK\x07u";
  const std::string entry =
      "}(\x8c\x06"
      "action\x8c\x05"
      "alloc\x8c\x06"
      "frames](" +
      frame + frame + "eu";
  const std::string file =
      "\x80\x04}(\x8c\x08segments]\x8c\x0d"
      "device_traces](](" +
      entry + entry + "eeu.";
  const Snapshot snapshot = read_snapshot(bytes_of(file), "file");
  ASSERT_EQ(snapshot.entries.size(), 2u);
  EXPECT_EQ(snapshot.frames.size(), 1u);
  EXPECT_EQ(snapshot.stacks.size(), 1u);
  EXPECT_EQ(snapshot.stacks[0].size(), 2u);
  EXPECT_EQ(snapshot.entries[0].stack, snapshot.entries[1].stack);
}

TEST(ReadSnapshot, ReadsDictsThatGrowItemByItem) {
  const std::string entry =
      "}\x8c\x06"
      "action\x8c\x05"
      "allocs\x8c\x04"
      "addrM\0\x02s"s;
  const std::string file =
      "\x80\x04}(\x8c\x08segments]\x8c\x0d"
      "device_traces](](" +
      entry + "eeu.";
  const Snapshot snapshot = read_snapshot(bytes_of(file), "file");
  ASSERT_EQ(snapshot.devices.size(), 1u);
  ASSERT_EQ(snapshot.devices[0].trace.size(), 1u);
  EXPECT_EQ(snapshot.entries[snapshot.devices[0].trace[0]].address, 512u);
}

TEST(ReadSnapshot, RefusesOtherPickles) {
  for (const std::string& opcodes : {"N"s, "]"s, "}"s, "}(\x8c\x08segmentsNu"s})
    EXPECT_NE(refusal_of_snapshot("\x80\x04" + opcodes + ".").find("not a snapshot of torch.cuda.memory"),
              std::string::npos);
}

TEST(ReadSnapshot, RefusesValuesOfOtherTypes) {
  const auto with = [](const std::string& entry) {
    return "\x80\x04}(\x8c\x08segments]\x8c\x0d"
           "device_traces](](" +
           entry + "eeu.";
  };
  EXPECT_NE(refusal_of_snapshot(with("K\x01")).find("not a dict"), std::string::npos);
  EXPECT_NE(refusal_of_snapshot(with("}(\x8c\x06"
                                     "action\x8c\x05"
                                     "alloc\x8c\x04"
                                     "addr\x8c\x01xu"))
                .find("not an integer"),
            std::string::npos);
  EXPECT_NE(refusal_of_snapshot(with("}(\x8c\x06"
                                     "action\x8c\x05"
                                     "alloc\x8c\x06"
                                     "frames](K\x01"
                                     "eu"))
                .find("frame"),
            std::string::npos);
}

TEST(ReadSnapshot, RefusesListsThatAreLongerThanTheFile) {
  // A thousand references to a list of a thousand references to an entry.
  std::string file =
      "\x80\x04}(\x8c\x08segments]\x8c\x0d"
      "device_traces(]\x94(}\x94(\x8c\x06"
      "action\x8c\x05"
      "allocKKKKu";
  for (int item = 0; item < 1000; ++item) file += "h\x01";
  file += "e";
  for (int item = 0; item < 1000; ++item) file += "h\x00"s;
  file += "lu.";
  EXPECT_NE(refusal_of_snapshot(file).find("longer than the file"), std::string::npos)
      << refusal_of_snapshot(file);
}

}  // namespace
}  // namespace strata::snapshot
