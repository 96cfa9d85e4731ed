// SPDX-License-Identifier: Apache-2.0
// A file of tensors: written tensors are read back bit for bit, and a partial file is never accepted.
#include "host/trainer/saving/archive.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "host/trainer/data/batch_reader.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::trainer {
namespace {

namespace fs = std::filesystem;

Dict dict_of(const std::string& name, const at::Tensor& tensor) {
  Dict dict = make_dict();
  dict.insert(name, tensor);
  return dict;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class Archive : public testing::Test {
 protected:
  Dict written_and_read(const Dict& contents) {
    write_archive(file_, contents);
    return read_archive(file_);
  }

  const test::TemporaryFolder folder_;
  const fs::path file_ = folder_.path() / "archive.pt";
};

TEST_F(Archive, HoldsTensorsOfEveryKindToTheBit) {
  Dict inner = make_dict();
  for (const at::ScalarType type :
       {at::kFloat, at::kDouble, at::kHalf, at::kBFloat16, at::kByte, at::kInt, at::kLong})
    inner.insert(c10::toString(type), (at::randn({3, 5}) * 50).to(type));
  inner.insert("scalar", at::tensor(1.5));
  inner.insert("empty", at::empty({0, 4}));
  Dict all = make_dict();
  all.insert("inner", inner);
  all.insert("number", std::int64_t{1} << 40);
  all.insert("text", "a text\nof two lines");
  const Dict read = written_and_read(all);
  EXPECT_EQ(read.at("number").toInt(), std::int64_t{1} << 40);
  EXPECT_EQ(read.at("text").toStringRef(), "a text\nof two lines");
  const Dict read_inner = read.at("inner").toGenericDict();
  ASSERT_EQ(read_inner.size(), inner.size());
  for (const auto& entry : inner) {
    const at::Tensor tensor = read_inner.at(entry.key()).toTensor();
    EXPECT_EQ(tensor.scalar_type(), entry.value().toTensor().scalar_type());
    EXPECT_TRUE(at::equal(tensor, entry.value().toTensor())) << entry.key().toStringRef();
  }
}

TEST_F(Archive, HoldsAViewWithAllThatItKeepsAlive) {
  const at::Tensor factor = at::randn({8, 8});
  const at::Tensor view = factor.t().slice(1, 2, 4);
  const at::Tensor read = written_and_read(dict_of("view", view)).at("view").toTensor();
  EXPECT_TRUE(at::equal(read, view));
  EXPECT_EQ(read.strides(), view.strides());
  EXPECT_EQ(read.storage_offset(), view.storage_offset());
  EXPECT_EQ(read.storage().nbytes(), factor.storage().nbytes());
}

TEST_F(Archive, HoldsAStorageOnceForAllThatShareIt) {
  const at::Tensor large = at::randn({64, 1024});
  Dict contents = dict_of("first", large);
  contents.insert("second", large.slice(0, 3));
  const Dict read = written_and_read(contents);
  EXPECT_LT(fs::file_size(file_), large.nbytes() * 3 / 2);
  EXPECT_TRUE(at::equal(read.at("second").toTensor(), large.slice(0, 3)));
}

TEST_F(Archive, IsReadWithoutACopy) {
  const at::Tensor read = written_and_read(dict_of("a", at::ones({1024}))).at("a").toTensor();
  // The mapping outlives the file's name.
  fs::remove(file_);
  EXPECT_EQ(read.sum().item<float>(), 1024.0F);
}

TEST_F(Archive, TakesThePlaceOfTheOneBefore) {
  write_archive(file_, dict_of("a", at::zeros({2})));
  write_archive(file_, dict_of("a", at::ones({2})));
  EXPECT_EQ(read_archive(file_).at("a").toTensor()[0].item<float>(), 1.0F);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1);
}

TEST_F(Archive, IsNotReadInPart) {
  write_archive(file_, dict_of("a", at::ones({4096})));
  const auto size = fs::file_size(file_);
  for (const auto length : {size - 1, size - 60, size / 2, std::uintmax_t{30}, std::uintmax_t{1}}) {
    fs::resize_file(file_, length);
    EXPECT_NE(message_of([&] { read_archive(file_); }).find("is not a complete checkpoint"),
              std::string::npos)
        << length;
  }
  fs::remove(file_);
  EXPECT_THROW(read_archive(file_), DataError);
}

// A limit on file sizes simulates a full disk.
TEST_F(Archive, LeavesTheOneBeforeWhereTheDiskIsFull) {
  write_archive(file_, dict_of("a", at::zeros({2})));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit low{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  for (const std::int64_t elements :
       {std::int64_t{900}, std::int64_t{1} << 20}) {  // in the middle, and at the end
    setrlimit(RLIMIT_FSIZE, &low);
    const std::string message = message_of([&] { write_archive(file_, dict_of("a", at::ones({elements}))); });
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_NE(message.find("save: cannot write '" + file_.string() + "': File too large. Free some space"),
              std::string::npos)
        << message;
  }
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_archive(file_).at("a").toTensor()[0].item<float>(), 0.0F);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "no part is left";
}

TEST_F(Archive, SaysWhereThereIsNoFolder) {
  const fs::path nowhere = folder_.path() / "none" / "archive.pt";
  EXPECT_NE(message_of([&] { write_archive(nowhere, make_dict()); }).find("No such file or directory"),
            std::string::npos);
}

TEST_F(Archive, LeavesNothingWhereItIsLeftByAnException) {
  {
    ReplacedFile file(file_);
    file.write("half", 4);
    EXPECT_TRUE(fs::exists(file_.string() + ".part"));
  }
  EXPECT_TRUE(fs::is_empty(folder_.path()));
}

}  // namespace
}  // namespace strata::trainer
