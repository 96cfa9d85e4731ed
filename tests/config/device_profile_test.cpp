// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/device_profile.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "host/config/problem.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::config {
namespace {

constexpr const char* kOwnCard = R"(schema: strata.device/1
name: NVIDIA Own Card
memory_bytes: {value: 8GiB, source: its box}
context_bytes: {low: 300MiB, high: 500MiB, source: seen}
compute_capability: "8.6"
multiprocessors: 20
threads_per_multiprocessor: 1536
blocks_per_multiprocessor: 16
shared_bytes_per_multiprocessor: 102400
shared_bytes_per_block_optin: 101376
l2_bytes: 2MiB
memory_bus_bits: 128
memory_clock_khz: 7001000
clock_khz: 1800000
memory_gb_per_s: 224
fp32_tflops: 9.1
tf32_tflops: 9.1
fp16_tflops: 36.4
bf16_tflops: 36.4
fp8_tflops: 0
)";

class DeviceProfileTest : public testing::Test {
 protected:
  std::string file(const std::string& text) const { return folder_.write("own.yaml", text).string(); }

  // The problems of kOwnCard with one text replaced, without the folder.
  std::string problems(const std::string& text, const std::string& instead) const {
    std::string changed = kOwnCard;
    const std::size_t place = changed.find(text);
    EXPECT_NE(place, std::string::npos) << text;
    try {
      load_device_profile(file(changed.replace(place, text.size(), instead)));
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

TEST_F(DeviceProfileTest, IsReadFromAFileOfOnesOwn) {
  const DeviceProfile profile = load_device_profile(file(kOwnCard));
  EXPECT_EQ(profile.key, "own");
  EXPECT_EQ(profile.name, "NVIDIA Own Card");
  EXPECT_EQ(profile.memory_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(profile.context_bytes.low, std::uint64_t{300} << 20);
  EXPECT_EQ(profile.context_bytes.high, std::uint64_t{500} << 20);
  EXPECT_EQ(profile.compute_capability.major, 8u);
  EXPECT_EQ(profile.compute_capability.minor, 6u);
  EXPECT_DOUBLE_EQ(profile.fp16_tflops, 36.4);
  ASSERT_EQ(profile.facts.size(), 19u);
  EXPECT_EQ(profile.facts[1].value, "8GiB");
  EXPECT_EQ(profile.facts[1].source, "its box");
  EXPECT_EQ(profile.facts[2].value, "300MiB to 500MiB");
  EXPECT_EQ(profile.facts[3].source, "");
}

TEST_F(DeviceProfileTest, MayTellTheContextInParts) {
  const std::string card = kOwnCard;
  EXPECT_EQ(load_device_profile(file(card)).context_cublas_bytes, 0u) << "or leave them out";
  const DeviceProfile profile =
      load_device_profile(file(card + "context_kernels_bytes: 92MiB\ncontext_cublas_bytes: {value: 66MiB, "
                                      "source: seen}\ncommunicator_bytes: 390MiB\n"));
  EXPECT_EQ(profile.context_kernels_bytes, std::uint64_t{92} << 20);
  EXPECT_EQ(profile.context_cublas_bytes, std::uint64_t{66} << 20);
  EXPECT_EQ(profile.communicator_bytes, std::uint64_t{390} << 20);
  EXPECT_EQ(profile.facts.size(), 22u);
}

TEST_F(DeviceProfileTest, MayTellWhenARealCardWasCompared) {
  const std::string card = kOwnCard;
  EXPECT_EQ(load_device_profile(file(card)).compared, "");
  EXPECT_EQ(load_device_profile(file(card + "compared: {value: 2026-11-28, source: seen}\n")).compared,
            "2026-11-28");
}

TEST_F(DeviceProfileTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problems("l2_bytes: 2MiB", "l2_byte: 2MiB"),
            "own.yaml:1:1: l2_bytes: missing\n"
            "own.yaml:11:1: l2_byte: unknown key; did you mean 'l2_bytes'?");
  EXPECT_EQ(problems("multiprocessors: 20", "multiprocessors: many"),
            "own.yaml:6:18: multiprocessors: expected a positive integer, with or without a unit (80GiB), "
            "found 'many'");
  EXPECT_EQ(problems("\"8.6\"", "86"),
            "own.yaml:5:21: compute_capability: expected a compute capability such as \"9.0\", found '86'");
  EXPECT_EQ(problems("low: 300MiB", "low: 600MiB"),
            "own.yaml:4:16: context_bytes: expected bytes, or {low: bytes, high: bytes}, found a mapping");
  EXPECT_EQ(problems("high: 500MiB", "high: 9GiB"),
            "own.yaml:4:16: context_bytes: leaves no free memory of memory_bytes");
  EXPECT_EQ(problems("strata.device/1", "strata.device/2"),
            "own.yaml:1:9: schema: expected strata.device/1, the version of this format");
  EXPECT_EQ(problems("fp8_tflops: 0", "fp8_tflops: -1"),
            "own.yaml:20:13: fp8_tflops: expected a number that is not negative, found '-1'");
}

// The profiles that Strata ships: each is complete, and each number has a source.
TEST_F(DeviceProfileTest, OfStrataHaveASourceForEachNumber) {
  const std::filesystem::path folder = STRATA_DEVICES;
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const DeviceProfile profile = load_device_profile(entry.path().string());
    ++files;
    for (const DeviceProfile::Fact& fact : profile.facts)
      EXPECT_FALSE(fact.source.empty()) << profile.key << ": " << fact.key;
    EXPECT_LE(profile.context_bytes.low, profile.context_bytes.high) << profile.key;
    EXPECT_GT(profile.context_kernels_bytes, 0u) << profile.key;
    EXPECT_GT(profile.communicator_bytes, profile.context_nccl_bytes) << profile.key;
    EXPECT_LE(profile.shared_bytes_per_block_optin, profile.shared_bytes_per_multiprocessor) << profile.key;
    EXPECT_LE(profile.fp32_tflops, profile.fp16_tflops) << profile.key;
  }
  EXPECT_EQ(files, 13u);
}

}  // namespace
}  // namespace strata::config
