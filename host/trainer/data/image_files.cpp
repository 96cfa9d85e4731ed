// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/image_files.hpp"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/util/TypeCast.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>

#include "host/config/files/image_files.hpp"
#include "host/config/files/ppm_header.hpp"
#include "host/trainer/data/batch_reader.hpp"
#include "host/trainer/data/mapped_file.hpp"

namespace strata::trainer {
namespace {

config::PpmHeader header_of(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  try {
    return config::read_ppm_header(bytes.first(std::min(bytes.size(), config::kMostPpmHeaderBytes)),
                                   bytes.size());
  } catch (const std::invalid_argument& error) {
    throw DataError(fmt::format("data.path: '{}' {}.", path.string(), error.what()));
  }
}

// The pixel in which the middle of the i-th of `parts` lies, of `side` pixels.
std::int64_t middle(std::int64_t i, std::int64_t parts, std::int64_t side) {
  return (2 * i + 1) * side / (2 * parts);
}

// Into [3, size, size] from rows of three colours a pixel.
template <typename Element>
void copy_image(const config::PpmHeader& header, const std::byte* pixels, std::int64_t size, Element* image) {
  std::array<Element, 256> normalised{};
  for (std::size_t value = 0; value < normalised.size(); ++value)
    normalised[value] =
        c10::convert<Element>(2.0 * static_cast<double>(value) / static_cast<double>(header.maximum) - 1.0);
  const std::int64_t side = std::min(header.width, header.height);
  const std::int64_t top = (header.height - side) / 2;
  const std::int64_t left = (header.width - side) / 2;
  for (std::int64_t y = 0; y < size; ++y) {
    const std::byte* const row = pixels + 3 * header.width * (top + middle(y, size, side));
    for (std::int64_t x = 0; x < size; ++x) {
      const std::byte* const pixel = row + 3 * (left + middle(x, size, side));
      for (std::int64_t colour = 0; colour < 3; ++colour) {
        const auto value =
            std::min<std::int64_t>(std::to_integer<std::int64_t>(pixel[colour]), header.maximum);
        image[(colour * size + y) * size + x] = normalised[static_cast<std::size_t>(value)];
      }
    }
  }
}

}  // namespace

ImageFiles::ImageFiles(const config::DataConfig& data, std::int64_t size, std::int64_t classes,
                       at::ScalarType dtype, std::uint64_t seed)
    : files_(data.files),
      classes_(config::image_classes(files_)),
      order_(data.order, files_.size(), seed),
      size_(size),
      dtype_(dtype) {
  if (static_cast<std::int64_t>(classes_.size()) > classes)
    throw DataError(
        fmt::format("data.path: the images are in {} folders, one per class, but model.classes is {}. Raise "
                    "model.classes, or name fewer folders.",
                    classes_.size(), classes));
}

Batch ImageFiles::read(std::uint64_t first, std::int64_t samples) const {
  Batch batch{at::empty({samples, 3, size_, size_}, dtype_), at::empty({samples}, at::kLong)};
  auto* const target = batch.target.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::filesystem::path& path = files_[order_.sample(first + static_cast<std::uint64_t>(i))];
    const MappedFile file(path);
    const config::PpmHeader header = header_of(path, file.bytes());
    const std::byte* const pixels = file.bytes().data() + header.pixels_offset;
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, dtype_, "ImageFiles", [&] {
      copy_image(header, pixels, size_, batch.input.mutable_data_ptr<scalar_t>() + i * 3 * size_ * size_);
    });
    const auto place = std::ranges::lower_bound(classes_, config::image_class(path));
    target[i] = place - classes_.begin();
  }
  return batch;
}

std::string ImageFiles::description() const {
  return fmt::format("images: {} files of {} classes, cut and resized to {} x {}", files_.size(),
                     classes_.size(), size_, size_);
}

}  // namespace strata::trainer
