// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/saving/archive.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <caffe2/serialize/inline_container.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/pickler.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace strata::trainer {
namespace {

// So that the new name outlives a crash of the machine. Some file systems cannot do that.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// Replaces the tensors in a value by CPU tensors with sizes and no memory: a pickle needs no more of them,
// and a device named in it would have to exist where the file is read.
class Outline {
 public:
  c10::IValue of(const c10::IValue& value) {
    if (value.isTensor()) return of_tensor(value.toTensor());
    if (!value.isGenericDict()) return value;
    Dict outline = make_dict();
    for (const auto& entry : value.toGenericDict()) outline.insert(entry.key(), of(entry.value()));
    return outline;
  }

  // The CPU bytes of the tensor represented by an outline's tensor.
  at::Tensor bytes_of(const at::Tensor& outline) const {
    const c10::Storage& storage = storages_.at(outline.storage().unsafeGetStorageImpl());
    const at::TensorOptions options = at::TensorOptions(at::kByte).device(storage.device());
    return at::empty({0}, options).set_(storage).cpu();
  }

 private:
  at::Tensor of_tensor(const at::Tensor& tensor) {
    const c10::Storage& storage = tensor.storage();
    const auto [place, is_new] = outlines_.try_emplace(storage.unsafeGetStorageImpl());
    if (is_new) {
      place->second = c10::Storage(c10::Storage::use_byte_size_t(), storage.nbytes(),
                                   at::DataPtr(nullptr, c10::kCPU), /*allocator=*/nullptr,
                                   /*resizable=*/false);
      storages_[place->second.unsafeGetStorageImpl()] = storage;
    }
    return at::empty({0}, at::TensorOptions(tensor.scalar_type()))
        .set_(place->second, tensor.storage_offset(), tensor.sizes(), tensor.strides());
  }

  std::unordered_map<const c10::StorageImpl*, c10::Storage> outlines_;
  std::unordered_map<const c10::StorageImpl*, c10::Storage> storages_;
};

}  // namespace

ReplacedFile::ReplacedFile(std::filesystem::path file) : file_(std::move(file)), part_(file_) {
  part_ += ".part";
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  keep_error(descriptor_ < 0);
}

ReplacedFile::~ReplacedFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(part_.c_str());
}

void ReplacedFile::write(const void* bytes, std::size_t count) noexcept {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0 && !has_failed()) {
    const ssize_t written = ::write(descriptor_, next, count);
    if (written < 0 && errno == EINTR) continue;
    keep_error(written < 0);
    if (written < 0) return;
    next += written;
    count -= static_cast<std::size_t>(written);
  }
}

void ReplacedFile::replace() {
  if (!has_failed()) keep_error(::fsync(descriptor_) != 0);
  if (!has_failed()) keep_error(::rename(part_.c_str(), file_.c_str()) != 0);
  if (has_failed())
    throw CheckpointError(
        fmt::format("save: cannot write '{}': {}. Free some space, or save less: save.keep limits how many "
                    "checkpoints are kept, "
                    "save.every how often one is saved.",
                    file_.string(), std::strerror(error_)));
  ::close(std::exchange(descriptor_, -1));
  sync_folder(file_.parent_path());
}

void ReplacedFile::keep_error(bool failed) noexcept {
  if (failed && error_ == 0) error_ = errno;
}

Dict make_dict() {
  return Dict(c10::StringType::get(), c10::AnyType::get());
}

void write_archive(const std::filesystem::path& file, const Dict& contents) {
  const at::NoGradGuard no_gradients;
  Outline outline;
  std::string pickle;
  torch::jit::Pickler pickler([&](const char* bytes, std::size_t count) { pickle.append(bytes, count); },
                              nullptr, nullptr, nullptr, nullptr, /*tag_aggregates=*/false);
  pickler.protocol();
  pickler.pushIValue(outline.of(contents));
  pickler.stop();

  ReplacedFile out(file);
  {
    caffe2::serialize::PyTorchStreamWriter archive([&](const void* bytes, std::size_t count) {
      out.write(bytes, count);
      return count;
    });
    archive.writeRecord("data.pkl", pickle.data(), pickle.size());
    archive.writeRecord("byteorder", "little", 6);
    std::size_t number = 0;
    for (const at::Tensor& tensor : pickler.tensorData()) {
      if (out.has_failed()) break;
      const at::Tensor bytes = outline.bytes_of(tensor);
      archive.writeRecord("data/" + std::to_string(number++), bytes.const_data_ptr(), bytes.nbytes());
    }
    archive.writeEndOfFile();
  }
  out.replace();
}

}  // namespace strata::trainer
