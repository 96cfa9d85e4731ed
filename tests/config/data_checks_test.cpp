// SPDX-License-Identifier: Apache-2.0
// Messages about data before a run begins.
#include "host/config/checks/data_checks.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/config/problems_of.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using Lines = std::vector<std::string>;

const std::string kImage = "P6 2 1 255 aaabbb";

class DataChecks : public testing::Test {
 protected:
  // The problems of a resnet18 of two classes, or of other models, on the folder's data.
  Lines of_images(const std::string& model = "name: resnet18, classes: 2") const {
    return problems_of("model: {" + model + "}\ndata: {source: images, path: " + folder_.path().string() +
                       "}\n");
  }

  std::string file(const std::string& name) const { return (folder_.path() / name).string(); }

  // The position of data.path, with its name.
  static std::string at_path(int column, const std::string& message) {
    return "t.yaml:2:" + std::to_string(column) + ": data.path: " + message;
  }
  static std::string of_path(const std::string& message) { return at_path(30, message); }

  const TemporaryFolder folder_;
};

TEST_F(DataChecks, WholeImagesOfTheModelsClassesAreFine) {
  folder_.write("cat/1.ppm", kImage);
  folder_.write("cat/2.ppm", "P6\n# by hand\n1 2\n# more\n15\naaabbb and more");
  folder_.write("dog/1.ppm", kImage);
  folder_.write("notes.txt", "no image");
  EXPECT_EQ(of_images(), Lines{});
}

TEST_F(DataChecks, AFolderWithoutImagesIsNone) {
  folder_.write("cat/1.png", kImage);
  EXPECT_EQ(of_images(), (Lines{of_path("expected images named *.ppm, found none among 1 file(s) such as '" +
                                        file("cat/1.png") + "'; convert the images to binary PPM")}));
}

TEST_F(DataChecks, EveryImageIsLookedAt) {
  folder_.write("cat/1.ppm", kImage);
  folder_.write("cat/2.ppm", "P6 2 1 255 aaabb");
  folder_.write("cat/3.ppm", "P6 2 x");
  folder_.write("cat/4.ppm", "P6 2 1 65535 aaabbb");
  folder_.write("cat/5.ppm", "P5 2 1 255 aaabbb");
  folder_.write("cat/6.ppm", "");
  folder_.write("cat/7.ppm", "P6 0 1 255 ");
  folder_.write("cat/8.ppm", "P6 2 1 255");
  folder_.write("cat/9.ppm", "P6 # endless");
  const std::string again = "; write it again as binary PPM with 8 bits per colour";
  const std::string no_ppm =
      " is not a binary PPM, because it does not begin with P6; convert it, for example with `magick "
      "image.png -depth 8 image.ppm`";
  const auto of = [&](int number, const std::string& message) {
    return of_path("'" + file("cat/" + std::to_string(number) + ".ppm") + "'" + message);
  };
  EXPECT_EQ(of_images(),
            (Lines{of(2, " is truncated: 2 x 1 pixels are 6 bytes, but 5 follow its header; write it again"),
                   of(3, " has a broken header: expected its height at byte 5, from 1 to 1000000" + again),
                   of(4, " has a broken header: expected its largest value at byte 7, from 1 to 255" + again),
                   of(5, no_ppm), of(6, no_ppm),
                   of(7, " has a broken header: expected its width at byte 3, from 1 to 1000000" + again),
                   of(8, " has a broken header: it does not end at byte 10; write it again"),
                   of(9, " has a broken header: expected its width at byte 12, from 1 to 1000000" + again)}));
}

TEST_F(DataChecks, OfManyBrokenImagesTheFirstTenAreNamed) {
  for (int i = 0; i < 30; ++i) folder_.write("cat/" + std::to_string(i) + ".ppm", "P6");
  EXPECT_EQ(of_images().size(), 10u);
}

TEST_F(DataChecks, MoreFoldersThanClassesAreTooMany) {
  for (const char* name : {"emu", "cat", "dog"}) folder_.write(std::string(name) + "/1.ppm", kImage);
  EXPECT_EQ(of_images(), (Lines{"t.yaml:1:34: model.classes: expected at least 3, the number of folders with "
                                "images, from 'cat' to 'emu', found 2"}));
  EXPECT_EQ(of_images("name: resnet18"), Lines{});
}

TEST_F(DataChecks, AModelOfTokensTakesNoImages) {
  folder_.write("cat/1.ppm", kImage);
  EXPECT_EQ(of_images("size: small"),
            (Lines{"t.yaml:2:16: data.source: expected synthetic, text, hash or batch with model.name: "
                   "transformer, which takes tokens"}));
}

TEST_F(DataChecks, ABatchIsOneArchive) {
  folder_.write("a.pt", std::string("PK\x03\x04", 4) + "and so on");
  folder_.write("b.txt", "PK");
  const auto of_batch = [&](const std::string& path) {
    return problems_of("model: {size: small}\ndata: {source: batch, path: '" + path + "'}\n");
  };
  EXPECT_EQ(of_batch(file("a.pt")), Lines{});
  EXPECT_EQ(
      of_batch(file("b.txt")),
      (Lines{at_path(29, "expected a zip archive as torch.save writes it, found another kind of file, '" +
                             file("b.txt") + "'; save the batch with torch.save(batch, path)")}));
  EXPECT_EQ(of_batch(file("*")),
            (Lines{at_path(29, "expected one file with data.source: batch, found 2; name one")}));
  EXPECT_EQ(problems_of("model: {size: small}\ndata: {source: batch}\n"),
            (Lines{"t.yaml:2:1: data.path: is required with data.source: batch: expected a file, folder or "
                   "pattern, found nothing"}));
}

TEST_F(DataChecks, OrderIsOfDataThatHasSome) {
  EXPECT_EQ(problems_of("model: {size: small}\ndata: {order: sequential}\n"),
            (Lines{"t.yaml:2:15: data.order: has an effect only with data.source: text or images; remove it, "
                   "or change data.source"}));
}

TEST_F(DataChecks, AnEpochIsOfDataThatEndsAndAtLeastOneStep) {
  EXPECT_EQ(problems_of("model: {size: small}\nschedule: {epochs: 1}\n"),
            (Lines{"t.yaml:2:20: schedule.epochs: has no effect with data.source: synthetic, which never "
                   "ends; remove it, or choose text, images or batch"}));
  for (const char* name : {"1", "2", "3"}) folder_.write("cat/" + std::string(name) + ".ppm", kImage);
  const auto of_epochs = [&](const std::string& batch) {
    return problems_of("model: {name: resnet18}\ndata: {source: images, path: " + folder_.path().string() +
                       ", " + batch + "\nschedule: {epochs: 1}\n");
  };
  EXPECT_EQ(of_epochs("batch_size: 3}"), Lines{});
  EXPECT_EQ(of_epochs("batch_size: 2}\naccumulation: 2"),
            (Lines{"t.yaml:4:20: schedule.epochs: expected data for at least one step of data.batch_size x "
                   "accumulation = 4 samples, found 3; lower one of them, or name more data"}));
  EXPECT_EQ(of_epochs("batch_size: x}"),
            (Lines{"t.yaml:2:" + std::to_string(44 + folder_.path().string().size()) +
                   ": data.batch_size: expected an integer from 1 to 1000000, found 'x'"}));
}

}  // namespace
}  // namespace strata::test
