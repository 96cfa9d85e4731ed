// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/pickler.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "host/trainer/saving/archive.hpp"
#include "host/trainer/saving/replaced_file.hpp"

namespace strata::trainer {
namespace {

// Values with tensors of the CPU that have sizes and no memory in place of theirs: what the pickle says of a
// tensor is all it needs, and a device that it named would have to be there where the file is read.
class Outline {
 public:
  c10::IValue of(const c10::IValue& value) {
    if (value.isTensor()) return of_tensor(value.toTensor());
    if (!value.isGenericDict()) return value;
    Dict outline = make_dict();
    for (const auto& entry : value.toGenericDict()) outline.insert(entry.key(), of(entry.value()));
    return outline;
  }

  // What stands behind an outline's tensor, as bytes of the CPU.
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
