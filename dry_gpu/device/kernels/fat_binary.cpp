// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/fat_binary.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dry_gpu/device/memory/value_at.hpp"

namespace strata::dry_gpu {
namespace {

// None of these is in a header of CUDA's wheels; jiegec/fatbinary on GitHub describes them.
struct Wrapper {
  std::uint32_t magic, version;
  const std::byte* container;
};
constexpr std::uint32_t kWrapperMagic = 0x466243b1;

struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version, header_bytes;
  std::uint64_t bytes;  // of the following images
};
constexpr std::uint32_t kContainerMagic = 0xba55ed50;

struct ImageHeader {
  std::uint16_t kind, unknown;
  std::uint32_t header_bytes;
  std::uint64_t bytes;  // of the following image
  std::uint32_t compressed_bytes, name_of_options;
  std::uint16_t minor, major;
  std::uint32_t architecture;
  std::uint32_t name, name_bytes;
  std::uint64_t flags;
};
static_assert(offsetof(ImageHeader, architecture) == 28 && offsetof(ImageHeader, flags) == 40);

constexpr std::uint16_t kPtx = 1, kMachineCode = 2;
constexpr std::uint64_t kForItAlone =
    0x100000;  // as seen in torch 2.11: of its images for sm_90a, 100a, 103a

}  // namespace

std::vector<CodeImage> code_images(const void* fat_binary) {
  if (fat_binary == nullptr) return {};
  const auto wrapper = value_at<Wrapper>(fat_binary);
  if (wrapper.magic != kWrapperMagic || wrapper.version != 1 || wrapper.container == nullptr) return {};
  const auto container = value_at<ContainerHeader>(wrapper.container);
  if (container.magic != kContainerMagic) return {};
  std::vector<CodeImage> images;
  const std::byte* at = wrapper.container + container.header_bytes;
  for (std::uint64_t left = container.bytes; left >= sizeof(ImageHeader);) {
    const auto image = value_at<ImageHeader>(at);
    if (image.header_bytes < sizeof image || image.header_bytes > left ||
        image.bytes > left - image.header_bytes)
      return {};
    if (image.kind == kPtx || image.kind == kMachineCode)
      images.push_back({image.kind == kPtx ? CodeImage::Kind::kPtx : CodeImage::Kind::kMachineCode,
                        static_cast<int>(image.architecture), (image.flags & kForItAlone) != 0});
    at += image.header_bytes + image.bytes;
    left -= image.header_bytes + image.bytes;
  }
  return images;
}

std::optional<CodeVersion> code_for(const std::vector<CodeImage>& images, int architecture) {
  int machine_code = 0, ptx = 0;
  for (const CodeImage& image : images) {
    if (image.architecture > architecture || (image.is_for_it_alone && image.architecture != architecture))
      continue;
    if (image.kind == CodeImage::Kind::kPtx)
      ptx = std::max(ptx, image.architecture);
    else if (image.architecture / 10 == architecture / 10)
      machine_code = std::max(machine_code, image.architecture);
  }
  if (machine_code != 0) return CodeVersion{machine_code, machine_code};
  if (ptx != 0) return CodeVersion{architecture, ptx};
  return std::nullopt;
}

}  // namespace strata::dry_gpu
