// SPDX-License-Identifier: Apache-2.0
// Images in the form that models take.
#include "host/trainer/data/image_files.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/trainer/data/batch_reader.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::trainer {
namespace {

namespace fs = std::filesystem;

// An image whose pixel at (x, y) has the colour (16 * y + x, 100, 255).
std::string numbered_image(int width, int height) {
  std::string image =
      "P6\n# pixels by number\n" + std::to_string(width) + " " + std::to_string(height) + "\n255\n";
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      image += static_cast<char>(16 * y + x);
      image += static_cast<char>(100);
      image += static_cast<char>(255);
    }
  }
  return image;
}

class Images : public testing::Test {
 protected:
  ImageFiles open(std::vector<fs::path> files, std::int64_t size, at::ScalarType dtype = at::kFloat,
                  config::DataOrder order = config::DataOrder::kSequential) const {
    config::DataConfig data;
    data.files = std::move(files);
    data.order = order;
    return {data, size, 3, dtype, 7};
  }

  // The original first colour of each pixel of the first image.
  static std::vector<std::int64_t> numbers(const Batch& batch) {
    const at::Tensor numbers =
        ((batch.input[0][0].to(at::kDouble) + 1) * 127.5).round().to(at::kLong).flatten();
    const auto* data = numbers.const_data_ptr<std::int64_t>();
    return {data, data + numbers.numel()};
  }

  const test::TemporaryFolder folder_;
};

TEST_F(Images, ColoursGoFromMinusOneToOne) {
  const auto source = open({folder_.write("cat/1.ppm", std::string("P6 1 1 255\n\x00\xff\x33", 14))}, 1);
  const Batch batch = source.read(0, 1);
  EXPECT_EQ(batch.input.sizes(), (std::vector<std::int64_t>{1, 3, 1, 1}));
  EXPECT_TRUE(at::equal(batch.input.flatten(), at::tensor({-1.0F, 1.0F, static_cast<float>(-0.6)})));
  EXPECT_EQ(source.description(), "images: 1 files of 1 classes, cut and resized to 1 x 1");
}

TEST_F(Images, TheLargestValueIsTheFiles) {
  const auto source = open({folder_.write("cat/1.ppm", std::string("P6 1 1 4\n\x01\x04\x09", 12))}, 1);
  EXPECT_TRUE(at::equal(source.read(0, 1).input.flatten(), at::tensor({-0.5F, 1.0F, 1.0F})));
}

TEST_F(Images, AnImageOfTheSizeIsTakenAsItIs) {
  const auto source = open({folder_.write("cat/1.ppm", numbered_image(3, 3))}, 3);
  const Batch batch = source.read(0, 1);
  EXPECT_EQ(numbers(batch), (std::vector<std::int64_t>{0, 1, 2, 16, 17, 18, 32, 33, 34}));
  EXPECT_TRUE((batch.input[0][2] == 1).all().item<bool>());
}

TEST_F(Images, OfAWideImageTheMiddleIsTaken) {
  EXPECT_EQ(numbers(open({folder_.write("cat/1.ppm", numbered_image(6, 2))}, 2).read(0, 1)),
            (std::vector<std::int64_t>{2, 3, 18, 19}));
}

TEST_F(Images, OfATallImageTheMiddleIsTaken) {
  EXPECT_EQ(numbers(open({folder_.write("cat/1.ppm", numbered_image(2, 5))}, 2).read(0, 1)),
            (std::vector<std::int64_t>{16, 17, 32, 33}));
}

TEST_F(Images, ALargerOneLosesPixelsAndASmallerOneRepeatsThem) {
  EXPECT_EQ(numbers(open({folder_.write("cat/1.ppm", numbered_image(6, 6))}, 2).read(0, 1)),
            (std::vector<std::int64_t>{17, 20, 65, 68}));
  EXPECT_EQ(numbers(open({folder_.write("cat/2.ppm", numbered_image(2, 2))}, 4).read(0, 1)),
            (std::vector<std::int64_t>{0, 0, 1, 1, 0, 0, 1, 1, 16, 16, 17, 17, 16, 16, 17, 17}));
}

TEST_F(Images, AreOfTheModelsDtype) {
  const fs::path file = folder_.write("cat/1.ppm", numbered_image(4, 4));
  const at::Tensor exact = open({file}, 4, at::kDouble).read(0, 1).input;
  for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16}) {
    const at::Tensor rounded = open({file}, 4, dtype).read(0, 1).input;
    EXPECT_EQ(rounded.scalar_type(), dtype);
    EXPECT_TRUE(at::equal(rounded, exact.to(dtype)));
  }
}

TEST_F(Images, ClassesAreFoldersInOrderAndSequencesBeginAgain) {
  const std::vector<fs::path> files{folder_.write("dog/1.ppm", numbered_image(1, 1)),
                                    folder_.write("a/cat/1.ppm", numbered_image(1, 1)),
                                    folder_.write("b/cat/2.ppm", numbered_image(1, 1))};
  EXPECT_TRUE(at::equal(open(files, 1).read(1, 4).target, at::tensor({0, 0, 1, 0}, at::kLong)));
}

TEST_F(Images, InRandomOrderAreDrawnAlikeEachTimeAndAllOfThem) {
  std::vector<fs::path> files;
  for (const char* name : {"a", "b", "c"})
    files.push_back(folder_.write(std::string(name) + "/1.ppm", numbered_image(1, 1)));
  const auto source = open(files, 1, at::kFloat, config::DataOrder::kRandom);
  const at::Tensor classes = source.read(0, 64).target;
  EXPECT_TRUE(at::equal(source.read(40, 8).target, classes.narrow(0, 40, 8)));
  EXPECT_EQ(classes.bincount().numel(), 3);
  EXPECT_GT(classes.bincount().min().item<std::int64_t>(), 8);
  EXPECT_FALSE(at::equal(classes.narrow(0, 0, 32), classes.narrow(0, 32, 32)));
}

TEST_F(Images, AFileThatWasCutShortSinceIsNamed) {
  const fs::path file = folder_.write("cat/1.ppm", numbered_image(4, 4));
  const auto source = open({file}, 4);
  source.read(0, 1);
  folder_.write("cat/1.ppm", "P6 4 4 255 aaa");
  try {
    source.read(0, 1);
    FAIL() << "expected DataError";
  } catch (const DataError& error) {
    EXPECT_EQ(error.what(),
              "data.path: '" + file.string() +
                  "' is truncated: 4 x 4 pixels are 48 bytes, but 3 follow its header; write it "
                  "again.");
  }
}

TEST_F(Images, OfMoreClassesThanTheModelHasAreAnError) {
  std::vector<fs::path> files;
  for (const char* name : {"a", "b", "c", "d"})
    files.push_back(folder_.write(std::string(name) + "/1.ppm", ""));
  EXPECT_THROW(open(files, 1), DataError);
}

}  // namespace
}  // namespace strata::trainer
