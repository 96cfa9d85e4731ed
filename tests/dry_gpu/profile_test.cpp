// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/profile.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/dry_gpu/clock_profile.hpp"

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

TEST(Profile, MayLeaveTheWorkspaceOfConvolutionsOut) {
  EXPECT_FALSE(parse_profile(kTestProfile).asks_cudnn);
  const std::string asked = kTestProfile + std::string("cudnn_workspaces asked\n");
  EXPECT_TRUE(parse_profile(asked).asks_cudnn);
  EXPECT_TRUE(parse_profile(profile_text(parse_profile(asked))).asks_cudnn);
  EXPECT_FALSE(parse_profile(kTestProfile + std::string("cudnn_workspaces off\n")).asks_cudnn);
  EXPECT_THROW(parse_profile(kTestProfile + std::string("cudnn_workspaces 1\n")), std::invalid_argument);
  EXPECT_EQ(parse_profile(kTestProfile).cudnn_workspace_bytes, 0u);
  EXPECT_EQ(parse_profile(kTestProfile + std::string("cudnn_workspace_bytes 4096\n")).cudnn_workspace_bytes,
            4096u);
}

TEST(Profile, HasSettingsThatMayBeMissing) {
  EXPECT_EQ(parse_profile(kTestProfile).cusolver_workspace_bytes, 0u);
  const std::string text = std::string(kTestProfile) + "cusolver_workspace_bytes 1048576\n";
  EXPECT_EQ(parse_profile(text).cusolver_workspace_bytes, 1048576u);
  EXPECT_EQ(
      problem_of(std::string(kTestProfile) + "cusolver_workspace_bytes 2147483648\n"),
      "the device profile: 'cusolver_workspace_bytes' must be less than 2 GiB, since cuSOLVER counts in "
      "int");
}

TEST(Profile, TakesCommentsAndBlankLines) {
  EXPECT_EQ(problem_of("# what it is\n\n" + with("devices 8", "  devices   8   # eight")), "none");
}

TEST(Profile, TellsTheContextInParts) {
  const DeviceProfile device =
      parse_profile(with("devices 8", "devices 8\ncontext_cudnn_bytes 8388608\ncontext_cudnn_after 12"))
          .device;
  const ContextPartProfile& part = device.context_parts[static_cast<std::size_t>(ContextPart::kCudnn)];
  EXPECT_EQ(part.bytes, 8388608u);
  EXPECT_EQ(part.after_calls, 12u);
  const ContextPartProfile& other = device.context_parts[static_cast<std::size_t>(ContextPart::kCublas)];
  EXPECT_EQ(other.bytes, 0u);
  EXPECT_EQ(other.after_calls, kWhenTouched);
}

TEST(Profile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of(with("devices 8", "device 8")),
            "line 16 of the device profile: 'device' is not one of its keys");
  EXPECT_EQ(problem_of(with("devices 8", "devices two")),
            "line 16 of the device profile: 'two' is not a value for 'devices'");
  EXPECT_EQ(problem_of(with("devices 8", "devices -2")),
            "line 16 of the device profile: '-2' is not a value for 'devices'");
  EXPECT_EQ(problem_of(with("devices 8", "devices")),
            "line 16 of the device profile: '' is not a value for 'devices'");
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

TEST(Profile, HasAClockOnlyWhereOneIsAskedFor) {
  EXPECT_EQ(parse_profile(kTestProfile).clock.kind, ClockKind::kNone);
  const MachineProfile profile = parse_profile(kClockProfile);
  EXPECT_EQ(profile.clock.kind, ClockKind::kModelled);
  EXPECT_EQ(profile.clock.launch_ns, 1000u);
  EXPECT_EQ(profile.device.bf16_tflops, 200.0);
  EXPECT_EQ(profile_text(parse_profile(profile_text(profile))), profile_text(profile));

  EXPECT_EQ(problem_of(kTestProfile + std::string("clock measured\n")),
            "line 18 of the device profile: 'measured' is not a value for 'clock'");
  EXPECT_EQ(problem_of(kTestProfile + std::string("fp32_tflops many\n")),
            "line 18 of the device profile: 'many' is not a value for 'fp32_tflops'");
  EXPECT_EQ(problem_of(kTestProfile + std::string("clock modelled\n")),
            "the device profile: 'clock modelled' needs 'memory_gb_per_s' and 'fp32_tflops'");
  EXPECT_EQ(problem_of(kClockProfile + "clock_memory_gb 2\n"),
            "line 29 of the device profile: 'clock_memory_gb' is not one of its keys");
  EXPECT_EQ(problem_of(kTestProfile + std::string("clock modelled\nmemory_gb_per_s 1\nfp32_tflops 1\n"
                                                  "clock_memory_percent 101\n")),
            "the device profile: the clock's percentages must be from 1 to 100");
}

}  // namespace
}  // namespace strata::dry_gpu
