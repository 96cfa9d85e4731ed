// SPDX-License-Identifier: Apache-2.0
// Images from files. A file's class is the name of its folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/data/batch_reader.hpp"
#include "host/trainer/data/draws.hpp"

namespace strata::trainer {

// Each image is cropped to the largest centred square and resized to `size` pixels by nearest neighbour:
// pixel i is the one that contains the centre of the i-th of `size` parts. A colour `value` out of `maximum`
// (given in the file, usually 255) becomes 2 * value / maximum - 1, from -1 to 1, rounded to `dtype`.
//
// Files are opened when they are read, and mapped, so that only the needed rows are loaded.
class ImageFiles : public BatchReader {
 public:
  // For `data.files`, which has at least one file. Throws DataError if they have more than `classes` classes.
  // A file that is not a complete image is a DataError when it is read.
  ImageFiles(const config::DataConfig& data, std::int64_t size, std::int64_t classes, at::ScalarType dtype,
             std::uint64_t seed);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override;

 private:
  std::vector<std::filesystem::path> files_;
  std::vector<std::string> classes_;
  SampleOrder order_;
  std::int64_t size_;
  at::ScalarType dtype_;
};

}  // namespace strata::trainer
