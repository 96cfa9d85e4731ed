#include "dry_gpu/device/profile.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/dry_gpu/test_profile.hpp"

namespace strata::dry_gpu {
namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_profile(text);
    return "none";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string with(const std::string& line, const std::string& instead) {
  std::string text = kTestProfile;
  const std::size_t place = text.find(line);
  EXPECT_NE(place, std::string::npos);
  return text.replace(place, line.size(), instead);
}

TEST(Profile, IsReadAndWritten) {
  const MachineProfile profile = parse_profile(kTestProfile);
  EXPECT_EQ(profile.device.name, "NVIDIA Test GPU");
  EXPECT_EQ(profile.device.memory_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(profile.devices, 8u);
  EXPECT_EQ(profile_text(parse_profile(profile_text(profile))), profile_text(profile));
}

TEST(Profile, TakesCommentsAndBlankLines) {
  EXPECT_EQ(problem_of("# what it is\n\n" + with("devices 8", "  devices   8   # eight")), "none");
}

TEST(Profile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of(with("devices 8", "device 8")),
            "line 16 of the device profile: 'device' is none of its keys");
  EXPECT_EQ(problem_of(with("devices 8", "devices two")),
            "line 16 of the device profile: 'two' is no value for 'devices'");
  EXPECT_EQ(problem_of(with("devices 8", "devices -2")),
            "line 16 of the device profile: '-2' is no value for 'devices'");
  EXPECT_EQ(problem_of(with("devices 8", "devices")),
            "line 16 of the device profile: '' is no value for 'devices'");
  EXPECT_EQ(problem_of(with("devices 8", "devices 8\ndevices 3")),
            "line 17 of the device profile: 'devices' is given twice");
  EXPECT_EQ(problem_of(with("devices 8\n", "")), "the device profile: 'devices' is missing");
  EXPECT_EQ(problem_of(with("devices 8", "devices 65")),
            "the device profile: 'devices' must be from 1 to 64");
  EXPECT_EQ(problem_of(with("context_bytes 67108864", "context_bytes 1073741824")),
            "the device profile: its context leaves no memory");
  EXPECT_EQ(problem_of(with("span_bytes 68719476736", "span_bytes 68719476737")),
            "the device profile: 'span_bytes' must be a multiple of 4 MiB");
}

}  // namespace
}  // namespace strata::dry_gpu
