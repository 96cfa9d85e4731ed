// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <torch/csrc/jit/serialization/unpickler.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "host/trainer/data/batch_reader.hpp"
#include "host/trainer/data/mapped_file.hpp"
#include "host/trainer/saving/archive.hpp"

namespace strata::trainer {
namespace {

// The bytes from the first of a tensor's storage to the last of its elements; nothing for a tensor without
// elements, or where the number overflows.
std::optional<std::uint64_t> reach(const at::Tensor& tensor) {
  std::int64_t last = tensor.storage_offset();
  bool overflows = last < 0;
  for (std::int64_t i = 0; i < tensor.dim() && !overflows; ++i) {
    const std::int64_t size = tensor.size(i), stride = tensor.stride(i);
    std::int64_t way = 0;
    overflows = size < 1 || stride < 0 || __builtin_mul_overflow(size - 1, stride, &way) ||
                __builtin_add_overflow(last, way, &last);
  }
  std::uint64_t bytes = 0;
  const auto elements = static_cast<std::uint64_t>(last) + 1;
  if (overflows || __builtin_mul_overflow(elements, tensor.itemsize(), &bytes)) return std::nullopt;
  return bytes;
}

constexpr std::size_t kAlignment = 16;  // of the largest element

class ArchiveReader {
 public:
  explicit ArchiveReader(const std::filesystem::path& file)
      : file_(std::make_shared<const MappedFile>(file, "resume")), archive_(file.string()) {}

  c10::IValue read() {
    const auto [pickle, size] = archive_.getRecord("data.pkl");
    const char* next = static_cast<const char*>(pickle.get());
    std::size_t left = size;
    const auto read_pickle = [&](char* out, std::size_t count) {
      count = std::min(count, left);
      std::memcpy(out, next, count);
      next += count;
      left -= count;
      return count;
    };
    torch::jit::Unpickler unpickler(
        read_pickle, nullptr, nullptr, [this](const std::string& name) { return record(name); },
        at::Device(at::kCPU));
    c10::IValue value = unpickler.parse_ivalue();
    check(value);
    return value;
  }

 private:
  // Its owner is the mapping, which all records share.
  at::DataPtr record(const std::string& name) {
    const std::string path = "data/" + name;
    const std::size_t size = archive_.getRecordSize(path);
    const std::size_t offset = archive_.getRecordOffset(path);
    const auto bytes = file_->bytes();
    if (offset > bytes.size() || size > bytes.size() - offset) throw std::runtime_error("it ends too early");
    if (offset % kAlignment != 0 || is_compressed(archive_.getRecordHeaderOffset(path)))
      throw std::runtime_error("a tensor in it is compressed, or not aligned");
    void* const data = const_cast<std::byte*>(bytes.data() + offset);
    sizes_[data] = size;
    using Owner = std::shared_ptr<const MappedFile>;
    return {data, new Owner(file_), [](void* owner) { delete static_cast<Owner*>(owner); }, at::kCPU};
  }

  // The method of a zip's local header.
  bool is_compressed(std::size_t header) const {
    const auto bytes = file_->bytes();
    return header + 10 > bytes.size() || bytes[header + 8] != std::byte{0} ||
           bytes[header + 9] != std::byte{0};
  }

  // The unpickler takes a tensor's sizes, strides and its storage's size as they are written, unchecked.
  void check(const c10::IValue& value) const {
    if (value.isTensor()) return check(value.toTensor());
    if (!value.isGenericDict()) return;
    for (const auto& entry : value.toGenericDict()) {
      if (!entry.key().isString()) throw std::runtime_error("a key in it is not text");
      check(entry.value());
    }
  }

  void check(const at::Tensor& tensor) const {
    if (!tensor.defined() || tensor.layout() != at::kStrided)
      throw std::runtime_error("a tensor in it is not dense");
    if (std::ranges::any_of(tensor.sizes(), [](std::int64_t size) { return size < 0; }))
      throw std::runtime_error("a tensor in it has a negative size");
    if (tensor.numel() == 0) return;
    const auto size = sizes_.find(tensor.storage().data());
    const auto bytes = reach(tensor);
    if (size == sizes_.end() || tensor.storage().nbytes() > size->second || !bytes ||
        *bytes > tensor.storage().nbytes())
      throw std::runtime_error("a tensor in it is larger than its bytes");
  }

  std::shared_ptr<const MappedFile> file_;
  caffe2::serialize::PyTorchStreamReader archive_;
  std::unordered_map<const void*, std::size_t> sizes_;  // of the records, by where they begin
};

CheckpointError no_checkpoint(const std::filesystem::path& file, std::string_view why) {
  return CheckpointError(fmt::format(
      "resume: '{}' is not a complete checkpoint ({}). Name one that save.every or save.at_end has written.",
      file.string(), why.substr(0, why.find('\n'))));
}

}  // namespace

Dict read_archive(const std::filesystem::path& file) {
  try {
    const c10::IValue contents = ArchiveReader(file).read();
    if (!contents.isGenericDict()) throw std::runtime_error("it contains no dict");
    return contents.toGenericDict();
  } catch (const c10::Error& error) {
    throw no_checkpoint(file, error.what_without_backtrace());
  } catch (const DataError&) {
    throw;
  } catch (const std::exception& error) {
    throw no_checkpoint(file, error.what());
  }
}

}  // namespace strata::trainer
