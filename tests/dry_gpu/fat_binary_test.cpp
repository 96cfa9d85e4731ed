// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/fat_binary.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace strata::dry_gpu {
namespace {

constexpr CodeImage machine_code(int architecture) {
  return {CodeImage::Kind::kMachineCode, architecture, false};
}

// torch 2.11 for CUDA 13.0.
const std::vector<CodeImage> kTorch = {machine_code(75), machine_code(80),  machine_code(86),
                                       machine_code(90), machine_code(100), machine_code(120)};

int binary_version(const std::vector<CodeImage>& images, int architecture) {
  const auto code = code_for(images, architecture);
  return code ? code->binary_version : 0;
}

TEST(FatBinary, DevicesRunTheLatestCodeOfTheirMajorVersion) {
  EXPECT_EQ(binary_version(kTorch, 75), 75);
  EXPECT_EQ(binary_version(kTorch, 80), 80);
  EXPECT_EQ(binary_version(kTorch, 86), 86);
  EXPECT_EQ(binary_version(kTorch, 89), 86);
  EXPECT_EQ(binary_version(kTorch, 103), 100);
  EXPECT_EQ(code_for(kTorch, 89)->ptx_version, 86);
}

TEST(FatBinary, NoDeviceRunsCodeOfAnotherMajorVersion) {
  EXPECT_FALSE(code_for(kTorch, 70));
  EXPECT_FALSE(code_for(kTorch, 110));
  EXPECT_FALSE(code_for({machine_code(90)}, 89));
  EXPECT_FALSE(code_for({}, 90));
}

TEST(FatBinary, PtxIsCompiledForTheDevice) {
  const std::vector<CodeImage> images = {
      machine_code(80), {CodeImage::Kind::kPtx, 75, false}, {CodeImage::Kind::kPtx, 90, false}};
  EXPECT_EQ(code_for(images, 86)->binary_version, 80) << "machine code goes first";
  EXPECT_EQ(code_for(images, 100)->binary_version, 100);
  EXPECT_EQ(code_for(images, 100)->ptx_version, 90);
  EXPECT_FALSE(code_for(images, 70));
}

TEST(FatBinary, CodeForOneArchitectureAloneRunsNowhereElse) {
  const std::vector<CodeImage> images = {{CodeImage::Kind::kMachineCode, 100, true}};
  EXPECT_TRUE(code_for(images, 100));
  EXPECT_FALSE(code_for(images, 103));
}

// The output of nvcc for kernels of these architectures, with 8 bytes of code each.
class Container {
 public:
  Container() {
    put<std::uint32_t>(0, 0xba55ed50);
    put<std::uint16_t>(4, 1);
    put<std::uint16_t>(6, 16);
  }

  void add(std::uint16_t kind, std::uint32_t architecture, std::uint64_t flags = 0) {
    put<std::uint16_t>(end_, kind);
    put<std::uint32_t>(end_ + 4, 64);
    put<std::uint64_t>(end_ + 8, 8);
    put<std::uint32_t>(end_ + 28, architecture);
    put<std::uint64_t>(end_ + 40, flags);
    end_ += 64 + 8;
    put<std::uint64_t>(8, end_ - 16);
  }

  template <typename T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes_.data() + at, &value, sizeof value);
  }

  std::size_t end() const { return end_; }

  std::vector<CodeImage> images() const {
    struct {
      std::uint32_t magic = 0x466243b1, version = 1;
      const void* container = nullptr;
      void* name = nullptr;
    } wrapper;
    wrapper.container = bytes_.data();
    return code_images(&wrapper);
  }

 private:
  std::array<std::byte, 1024> bytes_{};
  std::size_t end_ = 16;
};

TEST(FatBinary, IsReadImageByImage) {
  Container container;
  container.add(2, 75);
  container.add(1, 90);
  container.add(2, 90, 0x108011);
  container.add(64, 90);  // of an unknown kind
  const auto images = container.images();
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0].architecture, 75);
  EXPECT_EQ(images[0].kind, CodeImage::Kind::kMachineCode);
  EXPECT_EQ(images[1].kind, CodeImage::Kind::kPtx);
  EXPECT_FALSE(images[1].is_for_it_alone);
  EXPECT_TRUE(images[2].is_for_it_alone);
}

TEST(FatBinary, IsNotReadBeyondItsEnd) {
  for (const std::uint64_t bytes : {std::uint64_t{9}, ~std::uint64_t{0}}) {
    Container container;
    container.add(2, 75);
    container.put<std::uint64_t>(16 + 8, bytes);  // the image's
    EXPECT_TRUE(container.images().empty());
  }
  Container short_header;
  short_header.add(2, 75);
  short_header.put<std::uint32_t>(16 + 4, 8);
  EXPECT_TRUE(short_header.images().empty());
  const std::uint64_t nothing[3] = {};
  EXPECT_TRUE(code_images(nothing).empty());
  EXPECT_TRUE(code_images(nullptr).empty());
}

}  // namespace
}  // namespace strata::dry_gpu
