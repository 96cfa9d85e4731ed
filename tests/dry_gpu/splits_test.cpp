// SPDX-License-Identifier: Apache-2.0
// The parts into which cuDNN splits sums, compared with its answers without a device and with an H200.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "dry_gpu/cudnn/real/splits.hpp"

namespace strata::dry_gpu::real_cudnn {
namespace {

using Kind = ConvolutionShape::Kind;
using Type = ConvolutionShape::Type;

constexpr std::int64_t kMultiprocessorsOfH200 = 132;

struct AnsweredSplit {
  ConvolutionShape shape;
  Knobs knobs;
  std::int64_t answered_bytes;
};

struct MeasuredSplit {
  ConvolutionShape shape;
  Knobs knobs;
  std::int64_t answered_bytes, bytes_on_card;
};

// Drawn at random from cuDNN 9.19's answers for random shapes: three in four of those with parts.
const std::vector<AnsweredSplit> kAnsweredSplits = {
    {{Kind::kFilterGradient, Type::kFloat, 512, 768, 1, 12544}, {{2, 4}, {25, 0}, {27, 1}, {28, 2}}, 1179879},
    {{Kind::kFilterGradient, Type::kFloat, 96, 768, 1, 2048}, {{2, 4}, {25, 0}, {27, 1}, {28, 2}}, 786615},
    {{Kind::kFilterGradient, Type::kFloat, 64, 1024, 9, 1568}, {{2, 1}, {25, 0}, {27, 1}, {28, 2}}, 524483},
    {{Kind::kFilterGradient, Type::kFloat, 64, 256, 1, 16384}, {{2, 0}, {25, 0}, {27, 1}, {28, 1}}, 1179895},
    {{Kind::kFilterGradient, Type::kFloat, 192, 1024, 9, 784}, {{2, 4}, {25, 0}, {27, 1}, {28, 2}}, 524467},
    {{Kind::kFilterGradient, Type::kFloat, 320, 768, 9, 50176}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 1179883},
    {{Kind::kFilterGradient, Type::kFloat, 320, 768, 1, 4096}, {{2, 5}, {25, 0}, {27, 1}, {28, 1}}, 295147},
    {{Kind::kFilterGradient, Type::kFloat, 128, 256, 9, 32768}, {{2, 7}, {25, 0}, {27, 1}, {28, 2}}, 524499},
    {{Kind::kFilterGradient, Type::kFloat, 32, 32, 1, 1024}, {{2, 0}, {25, 0}, {27, 1}, {28, 1}}, 131235},
    {{Kind::kFilterGradient, Type::kFloat, 96, 192, 9, 12544}, {{2, 1}, {25, 0}, {27, 1}, {28, 2}}, 0},
    {{Kind::kFilterGradient, Type::kFloat, 512, 1024, 1, 32768}, {{2, 0}, {25, 1}, {27, 1}, {28, 1}}, 0},
    {{Kind::kFilterGradient, Type::kFloat, 32, 32, 9, 784}, {{2, 5}, {25, 0}, {27, 1}, {28, 1}}, 0},
    {{Kind::kFilterGradient, Type::kHalf, 64, 96, 9, 4096}, {{2, 7}, {25, 0}, {27, 1}, {28, 4}}, 524479},
    {{Kind::kFilterGradient, Type::kHalf, 192, 512, 1, 3136}, {{2, 5}, {25, 0}, {27, 3}, {28, 1}}, 295107},
    {{Kind::kFilterGradient, Type::kHalf, 64, 192, 9, 100352}, {{2, 1}, {25, 0}, {27, 2}, {28, 4}}, 524479},
    {{Kind::kFilterGradient, Type::kHalf, 192, 256, 1, 16384}, {{2, 0}, {25, 0}, {27, 1}, {28, 3}}, 1179879},
    {{Kind::kFilterGradient, Type::kHalf, 96, 32, 9, 65536}, {{2, 1}, {25, 0}, {27, 1}, {28, 5}}, 491739},
    {{Kind::kFilterGradient, Type::kHalf, 64, 96, 1, 25088}, {{2, 3}, {25, 0}, {27, 1}, {28, 3}}, 2359527},
    {{Kind::kFilterGradient, Type::kHalf, 320, 1024, 1, 16384}, {{2, 5}, {25, 0}, {27, 1}, {28, 5}}, 245983},
    {{Kind::kFilterGradient, Type::kHalf, 1024, 320, 9, 784}, {{2, 0}, {25, 0}, {27, 1}, {28, 4}}, 1048771},
    {{Kind::kFilterGradient, Type::kHalf, 96, 192, 1, 1024}, {{2, 0}, {25, 0}, {27, 1}, {28, 4}}, 1048767},
    {{Kind::kFilterGradient, Type::kHalf, 1024, 1024, 1, 1024}, {{2, 9}, {25, 0}, {27, 4}, {28, 1}}, 131},
    {{Kind::kFilterGradient, Type::kHalf, 512, 768, 1, 1568}, {{2, 1}, {25, 1}, {27, 2}, {28, 1}}, 131},
    {{Kind::kFilterGradient, Type::kHalf, 1024, 384, 9, 1568}, {{2, 5}, {25, 0}, {27, 1}, {28, 3}}, 131},
    {{Kind::kFilterGradient, Type::kBfloat16, 128, 192, 1, 16384},
     {{2, 6}, {25, 0}, {27, 1}, {28, 2}},
     2097359},
    {{Kind::kFilterGradient, Type::kBfloat16, 192, 128, 9, 50176},
     {{2, 7}, {25, 0}, {27, 1}, {28, 4}},
     524483},
    {{Kind::kFilterGradient, Type::kBfloat16, 512, 1024, 1, 32768},
     {{2, 1}, {25, 0}, {27, 1}, {28, 6}},
     590059},
    {{Kind::kFilterGradient, Type::kBfloat16, 1024, 384, 1, 200704},
     {{2, 9}, {25, 0}, {27, 1}, {28, 2}},
     1179879},
    {{Kind::kFilterGradient, Type::kBfloat16, 256, 128, 1, 12544},
     {{2, 4}, {25, 0}, {27, 1}, {28, 4}},
     524463},
    {{Kind::kFilterGradient, Type::kBfloat16, 1024, 320, 1, 65536},
     {{2, 7}, {25, 0}, {27, 1}, {28, 4}},
     524483},
    {{Kind::kFilterGradient, Type::kBfloat16, 64, 64, 9, 25088}, {{2, 5}, {25, 0}, {27, 2}, {28, 4}}, 262335},
    {{Kind::kFilterGradient, Type::kBfloat16, 64, 128, 9, 12544},
     {{2, 5}, {25, 0}, {27, 4}, {28, 2}},
     262339},
    {{Kind::kFilterGradient, Type::kBfloat16, 128, 32, 1, 200704},
     {{2, 9}, {25, 0}, {27, 1}, {28, 2}},
     1179895},
    {{Kind::kFilterGradient, Type::kBfloat16, 96, 256, 9, 1024}, {{2, 7}, {25, 0}, {27, 1}, {28, 1}}, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 64, 96, 9, 1568}, {{2, 5}, {25, 0}, {27, 2}, {28, 7}}, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 320, 128, 9, 64}, {{2, 5}, {25, 0}, {27, 4}, {28, 2}}, 131},
    {{Kind::kForward, Type::kFloat, 128, 512, 9, 256}, {{2, 9}, {25, 0}, {27, 4}, {28, 1}}, 1048767},
    {{Kind::kForward, Type::kFloat, 96, 32, 9, 65536}, {{2, 5}, {25, 0}, {27, 7}, {28, 1}}, 229567},
    {{Kind::kForward, Type::kFloat, 192, 384, 9, 4096}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 1048795},
    {{Kind::kForward, Type::kFloat, 1024, 32, 1, 12544}, {{2, 9}, {25, 0}, {27, 4}, {28, 1}}, 1048787},
    {{Kind::kForward, Type::kFloat, 512, 768, 1, 512}, {{2, 9}, {25, 0}, {27, 4}, {28, 1}}, 1048767},
    {{Kind::kForward, Type::kFloat, 96, 1024, 9, 100352}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 1048771},
    {{Kind::kForward, Type::kFloat, 192, 256, 9, 16384}, {{2, 3}, {25, 0}, {27, 1}, {28, 2}}, 2359547},
    {{Kind::kForward, Type::kFloat, 128, 512, 9, 50176}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 524475},
    {{Kind::kForward, Type::kFloat, 320, 32, 9, 16}, {{2, 9}, {25, 0}, {27, 4}, {28, 1}}, 1048783},
    {{Kind::kForward, Type::kFloat, 512, 1024, 1, 1024}, {{2, 0}, {25, 1}, {27, 1}, {28, 4}}, 131},
    {{Kind::kForward, Type::kFloat, 1024, 256, 9, 49}, {{2, 0}, {25, 0}, {27, 8}, {28, 1}}, 0},
    {{Kind::kForward, Type::kFloat, 320, 32, 1, 32768}, {{2, 9}, {25, 0}, {27, 4}, {28, 1}}, 131},
    {{Kind::kForward, Type::kHalf, 96, 32, 9, 65536}, {{2, 5}, {25, 0}, {27, 7}, {28, 1}}, 229567},
    {{Kind::kForward, Type::kHalf, 1024, 256, 9, 49}, {{2, 1}, {25, 0}, {27, 2}, {28, 4}}, 524479},
    {{Kind::kForward, Type::kHalf, 320, 128, 9, 4096}, {{2, 5}, {25, 0}, {27, 3}, {28, 2}}, 295147},
    {{Kind::kForward, Type::kHalf, 1024, 320, 9, 2048}, {{2, 7}, {25, 0}, {27, 7}, {28, 1}}, 458943},
    {{Kind::kForward, Type::kHalf, 256, 320, 9, 196}, {{2, 8}, {25, 1}, {27, 1}, {28, 7}}, 3400851},
    {{Kind::kForward, Type::kHalf, 1024, 256, 9, 3136}, {{2, 4}, {25, 0}, {27, 1}, {28, 3}}, 1179883},
    {{Kind::kForward, Type::kHalf, 320, 256, 9, 196}, {{2, 1}, {25, 0}, {27, 2}, {28, 4}}, 524479},
    {{Kind::kForward, Type::kHalf, 1024, 32, 1, 12544}, {{2, 7}, {25, 0}, {27, 4}, {28, 1}}, 262323},
    {{Kind::kForward, Type::kHalf, 32, 320, 9, 12544}, {{2, 4}, {25, 0}, {27, 1}, {28, 2}}, 786619},
    {{Kind::kForward, Type::kHalf, 512, 1024, 1, 1024}, {{2, 0}, {25, 1}, {27, 4}, {28, 1}}, 131},
    {{Kind::kForward, Type::kHalf, 1024, 128, 1, 3136}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 131},
    {{Kind::kForward, Type::kHalf, 320, 384, 1, 1568}, {{2, 0}, {25, 1}, {27, 2}, {28, 1}}, 131},
    {{Kind::kForward, Type::kBfloat16, 1024, 320, 9, 784}, {{2, 1}, {25, 0}, {27, 1}, {28, 8}}, 524483},
    {{Kind::kForward, Type::kBfloat16, 32, 128, 9, 49}, {{2, 8}, {25, 1}, {27, 1}, {28, 7}}, 178832},
    {{Kind::kForward, Type::kBfloat16, 1024, 96, 9, 3136}, {{2, 1}, {25, 0}, {27, 2}, {28, 4}}, 524483},
    {{Kind::kForward, Type::kBfloat16, 1024, 768, 9, 6272}, {{2, 3}, {25, 0}, {27, 4}, {28, 1}}, 2097347},
    {{Kind::kForward, Type::kBfloat16, 1024, 96, 9, 3136}, {{2, 4}, {25, 0}, {27, 1}, {28, 2}}, 1048767},
    {{Kind::kForward, Type::kBfloat16, 512, 64, 9, 12544}, {{2, 0}, {25, 0}, {27, 8}, {28, 1}}, 1048771},
    {{Kind::kForward, Type::kBfloat16, 1024, 96, 9, 3136}, {{2, 1}, {25, 0}, {27, 1}, {28, 4}}, 524499},
    {{Kind::kForward, Type::kBfloat16, 256, 384, 9, 25088}, {{2, 1}, {25, 1}, {27, 1}, {28, 3}}, 67764371},
    {{Kind::kForward, Type::kBfloat16, 1024, 96, 9, 3136}, {{2, 5}, {25, 0}, {27, 2}, {28, 4}}, 262339},
    {{Kind::kForward, Type::kBfloat16, 512, 192, 1, 64}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 0},
    {{Kind::kForward, Type::kBfloat16, 128, 192, 9, 16384}, {{2, 6}, {25, 1}, {27, 7}, {28, 1}}, 131},
    {{Kind::kForward, Type::kBfloat16, 320, 32, 1, 50176}, {{2, 5}, {25, 0}, {27, 7}, {28, 1}}, 131},
};

// Every configuration of these engines that occurs in tests/data/card-h200/workspaces.jsonl, in channels-last
// layout, where the workspace holds nothing else.
const std::vector<MeasuredSplit> kMeasuredSplits = {
    {{Kind::kForward, Type::kFloat, 64, 64, 9, 100352}, {{2, 1}, {25, 1}, {27, 8}, {28, 1}}, 131, 131},
    {{Kind::kFilterGradient, Type::kFloat, 64, 64, 9, 100352},
     {{2, 5}, {25, 0}, {27, 1}, {28, 1}},
     295107,
     2065047},
    {{Kind::kForward, Type::kBfloat16, 64, 64, 9, 100352}, {{2, 5}, {25, 1}, {27, 8}, {28, 1}}, 131, 131},
    {{Kind::kFilterGradient, Type::kBfloat16, 64, 64, 9, 100352},
     {{2, 5}, {25, 0}, {27, 1}, {28, 3}},
     295107,
     1917591},
    {{Kind::kForward, Type::kHalf, 64, 64, 9, 100352}, {{2, 5}, {25, 1}, {27, 8}, {28, 1}}, 131, 131},
    {{Kind::kFilterGradient, Type::kHalf, 64, 64, 9, 100352},
     {{2, 5}, {25, 0}, {27, 1}, {28, 3}},
     295107,
     1917591},
    {{Kind::kForward, Type::kFloat, 128, 128, 9, 25088}, {{2, 0}, {25, 0}, {27, 8}, {28, 1}}, 1048771, 0},
    {{Kind::kFilterGradient, Type::kFloat, 128, 128, 9, 25088},
     {{2, 0}, {25, 0}, {27, 1}, {28, 1}},
     1179843,
     8258199},
    {{Kind::kForward, Type::kBfloat16, 128, 128, 9, 25088}, {{2, 0}, {25, 1}, {27, 4}, {28, 1}}, 131, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 128, 128, 9, 25088},
     {{2, 1}, {25, 0}, {27, 1}, {28, 3}},
     0,
     2359671},
    {{Kind::kForward, Type::kHalf, 128, 128, 9, 25088}, {{2, 0}, {25, 1}, {27, 4}, {28, 1}}, 131, 0},
    {{Kind::kFilterGradient, Type::kHalf, 128, 128, 9, 25088},
     {{2, 1}, {25, 0}, {27, 1}, {28, 3}},
     0,
     3539535},
    {{Kind::kForward, Type::kFloat, 256, 512, 1, 25088}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 131, 131},
    {{Kind::kFilterGradient, Type::kFloat, 256, 512, 1, 25088},
     {{2, 0}, {25, 0}, {27, 1}, {28, 2}},
     1048767,
     8389247},
    {{Kind::kForward, Type::kBfloat16, 256, 512, 1, 25088}, {{2, 0}, {25, 1}, {27, 2}, {28, 1}}, 131, 131},
    {{Kind::kFilterGradient, Type::kBfloat16, 256, 512, 1, 25088},
     {{2, 5}, {25, 0}, {27, 2}, {28, 4}},
     0,
     1048863},
    {{Kind::kForward, Type::kHalf, 256, 512, 1, 25088}, {{2, 0}, {25, 1}, {27, 2}, {28, 1}}, 131, 131},
    {{Kind::kFilterGradient, Type::kHalf, 256, 512, 1, 25088},
     {{2, 5}, {25, 0}, {27, 2}, {28, 4}},
     0,
     1573407},
    {{Kind::kForward, Type::kBfloat16, 128, 128, 9, 25088}, {{2, 0}, {25, 0}, {27, 8}, {28, 1}}, 131, 0},
    {{Kind::kForward, Type::kHalf, 128, 128, 9, 25088}, {{2, 0}, {25, 0}, {27, 8}, {28, 1}}, 1048771, 0},
    {{Kind::kForward, Type::kFloat, 256, 256, 9, 6272}, {{2, 0}, {25, 0}, {27, 1}, {28, 2}}, 1048771, 0},
    {{Kind::kFilterGradient, Type::kFloat, 256, 256, 9, 6272},
     {{2, 0}, {25, 0}, {27, 1}, {28, 1}},
     0,
     7078479},
    {{Kind::kForward, Type::kBfloat16, 256, 256, 9, 6272}, {{2, 0}, {25, 1}, {27, 1}, {28, 2}}, 131, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 256, 256, 9, 6272},
     {{2, 1}, {25, 0}, {27, 1}, {28, 3}},
     131,
     0},
    {{Kind::kForward, Type::kHalf, 256, 256, 9, 6272}, {{2, 0}, {25, 1}, {27, 1}, {28, 2}}, 131, 0},
    {{Kind::kFilterGradient, Type::kHalf, 256, 256, 9, 6272}, {{2, 1}, {25, 0}, {27, 1}, {28, 3}}, 131, 0},
    {{Kind::kForward, Type::kFloat, 512, 512, 9, 1568}, {{2, 5}, {25, 1}, {27, 1}, {28, 8}}, 131, 0},
    {{Kind::kFilterGradient, Type::kFloat, 512, 512, 9, 1568},
     {{2, 0}, {25, 0}, {27, 1}, {28, 1}},
     131,
     5505519},
    {{Kind::kForward, Type::kBfloat16, 512, 512, 9, 1568}, {{2, 1}, {25, 0}, {27, 1}, {28, 8}}, 524483, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 512, 512, 9, 1568},
     {{2, 7}, {25, 0}, {27, 4}, {28, 4}},
     131,
     131},
    {{Kind::kForward, Type::kHalf, 512, 512, 9, 1568}, {{2, 1}, {25, 0}, {27, 1}, {28, 8}}, 524483, 0},
    {{Kind::kFilterGradient, Type::kHalf, 512, 512, 9, 1568}, {{2, 7}, {25, 0}, {27, 4}, {28, 4}}, 131, 131},
    {{Kind::kForward, Type::kFloat, 1024, 2048, 1, 1568}, {{2, 0}, {25, 1}, {27, 1}, {28, 4}}, 131, 0},
    {{Kind::kFilterGradient, Type::kFloat, 1024, 2048, 1, 1568},
     {{2, 0}, {25, 0}, {27, 1}, {28, 2}},
     917723,
     0},
    {{Kind::kForward, Type::kBfloat16, 1024, 2048, 1, 1568}, {{2, 0}, {25, 1}, {27, 2}, {28, 4}}, 131, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 1024, 2048, 1, 1568},
     {{2, 0}, {25, 0}, {27, 1}, {28, 2}},
     131,
     0},
    {{Kind::kForward, Type::kHalf, 1024, 2048, 1, 1568}, {{2, 0}, {25, 1}, {27, 2}, {28, 4}}, 131, 0},
    {{Kind::kFilterGradient, Type::kHalf, 1024, 2048, 1, 1568},
     {{2, 0}, {25, 0}, {27, 1}, {28, 2}},
     917723,
     0},
    {{Kind::kForward, Type::kFloat, 64, 64, 9, 3136}, {{2, 8}, {25, 1}, {27, 1}, {28, 1}}, 131, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 64, 64, 9, 3136}, {{2, 5}, {25, 1}, {27, 2}, {28, 4}}, 0, 0},
    {{Kind::kFilterGradient, Type::kHalf, 64, 64, 9, 3136}, {{2, 5}, {25, 1}, {27, 2}, {28, 4}}, 0, 0},
    {{Kind::kForward, Type::kFloat, 512, 512, 9, 1024}, {{2, 5}, {25, 1}, {27, 1}, {28, 8}}, 131, 0},
    {{Kind::kFilterGradient, Type::kFloat, 512, 512, 9, 1024},
     {{2, 0}, {25, 0}, {27, 1}, {28, 1}},
     131,
     3146031},
    {{Kind::kForward, Type::kBfloat16, 512, 512, 9, 1024}, {{2, 7}, {25, 1}, {27, 4}, {28, 1}}, 131, 0},
    {{Kind::kFilterGradient, Type::kBfloat16, 512, 512, 9, 1024},
     {{2, 0}, {25, 0}, {27, 1}, {28, 4}},
     131,
     0},
    {{Kind::kForward, Type::kHalf, 512, 512, 9, 1024}, {{2, 7}, {25, 1}, {27, 4}, {28, 1}}, 131, 0},
    {{Kind::kFilterGradient, Type::kHalf, 512, 512, 9, 1024},
     {{2, 0}, {25, 0}, {27, 1}, {28, 4}},
     131,
     6291903},
};

const MeasuredSplit kSplit = kMeasuredSplits[1];

TEST(RealCudnnSplits, AreWhatCudnnAnswersWithoutADevice) {
  std::size_t equal = 0;
  for (const AnsweredSplit& each : kAnsweredSplits) {
    const auto product = tiled_product(each.shape, each.knobs);
    ASSERT_TRUE(product);
    equal +=
        partial_bytes(*product, blocks_without_device(product->cluster)) == each.answered_bytes ? 1U : 0U;
  }
  EXPECT_GE(equal, 67U) << "of " << kAnsweredSplits.size();
}

TEST(RealCudnnSplits, OnAnH200AreWhatWasMeasured) {
  for (const MeasuredSplit& each : kMeasuredSplits)
    EXPECT_EQ(workspace_on(kMultiprocessorsOfH200, each.shape, each.knobs, each.answered_bytes),
              each.bytes_on_card)
        << each.shape.inputs << " to " << each.shape.outputs << " channels, " << each.shape.results;
}

TEST(RealCudnnSplits, FollowTheMultiprocessors) {
  const auto on = [](std::int64_t multiprocessors) {
    return workspace_on(multiprocessors, kSplit.shape, kSplit.knobs, kSplit.answered_bytes);
  };
  EXPECT_EQ(on(18), kSplit.answered_bytes) << "as many as cuDNN takes without a device";
  EXPECT_EQ(on(132) / (9 * 64 * 64 * 4), 14) << "nine tiles";
  EXPECT_EQ(on(114) / (9 * 64 * 64 * 4), 12);
  EXPECT_EQ(on(9), 0) << "no two parts run at a time";
  EXPECT_EQ(on(1), 131) << "one tile after the other";
}

TEST(RealCudnnSplits, LeaveTheRestOfAWorkspaceAsItIs) {
  constexpr std::int64_t kRest = 64'815'120;
  EXPECT_EQ(workspace_on(kMultiprocessorsOfH200, kSplit.shape, kSplit.knobs, kSplit.answered_bytes + kRest),
            kSplit.bytes_on_card + kRest);
}

TEST(RealCudnnSplits, LeaveAnAnswerAloneThatIsNotOfTheseEngines) {
  const auto corrected = [](const ConvolutionShape& shape, const Knobs& knobs, std::int64_t answered) {
    return workspace_on(kMultiprocessorsOfH200, shape, knobs, answered);
  };
  const Knobs all = kSplit.knobs;
  EXPECT_NE(corrected(kSplit.shape, all, kSplit.answered_bytes), kSplit.answered_bytes);
  for (std::size_t left_out = 0; left_out < all.size(); ++left_out) {
    Knobs knobs = all;
    knobs.erase(knobs.begin() + static_cast<std::ptrdiff_t>(left_out));
    EXPECT_EQ(corrected(kSplit.shape, knobs, kSplit.answered_bytes), kSplit.answered_bytes) << left_out;
    for (const std::int64_t unknown : {-1, 99}) {
      knobs = all;
      knobs[left_out].value = unknown;
      EXPECT_EQ(corrected(kSplit.shape, knobs, kSplit.answered_bytes), kSplit.answered_bytes) << left_out;
    }
  }
  EXPECT_EQ(corrected(kSplit.shape, {}, kSplit.answered_bytes), kSplit.answered_bytes);
  EXPECT_EQ(corrected(kSplit.shape, all, 4096), 4096) << "less than the parts would take";
  EXPECT_EQ(workspace_on(0, kSplit.shape, all, kSplit.answered_bytes), kSplit.answered_bytes);
}

TEST(RealCudnnSplits, AreNoneWhereASizeCannotBe) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{-1}, INT64_MAX}) {
    for (std::int64_t ConvolutionShape::*const member :
         {&ConvolutionShape::inputs, &ConvolutionShape::outputs, &ConvolutionShape::filter_positions,
          &ConvolutionShape::results}) {
      ConvolutionShape shape = kSplit.shape;
      shape.*member = size;
      EXPECT_EQ(tiled_product(shape, kSplit.knobs), std::nullopt) << size;
    }
  }
  ConvolutionShape shape = kSplit.shape;
  shape.type = Type::kOther;
  EXPECT_EQ(tiled_product(shape, kSplit.knobs), std::nullopt);
}

}  // namespace
}  // namespace strata::dry_gpu::real_cudnn
