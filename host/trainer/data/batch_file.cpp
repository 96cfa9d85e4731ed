// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/batch_file.hpp"

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/csrc/jit/serialization/import_read.h>

#include <algorithm>
#include <exception>
#include <span>
#include <string_view>

#include "host/trainer/data/batch_reader.hpp"

namespace strata::trainer {
namespace {

constexpr std::int64_t kIgnored = -100;  // cross_entropy's ignore_index

bool is_classifier(const config::RunConfig& config) {
  return config.model.task == config::Task::kSequenceClass;
}

struct Contents {
  at::Tensor input_ids;
  at::Tensor labels;  // undefined if there are none
  std::vector<std::string> others;
};

class ArrayReader {
 public:
  explicit ArrayReader(std::filesystem::path file) : file_(std::move(file)) {}

  Contents read() const {
    const c10::IValue value = load();
    if (value.isTensor()) return {tokens("the tensor", value.toTensor()), {}, {}};
    if (!value.isGenericDict())
      throw error("holds neither a tensor nor a dict. Save {'input_ids': ...}, or the tokens alone");
    Contents contents;
    for (const auto& entry : value.toGenericDict()) {
      const std::string name = entry.key().isString() ? entry.key().toStringRef() : "?";
      if (name == "input_ids" || name == "labels") {
        if (!entry.value().isTensor())
          throw error(name + " in it is not a tensor. Save a tensor of integers");
        (name == "labels" ? contents.labels : contents.input_ids) = tokens(name, entry.value().toTensor());
      } else {
        contents.others.push_back(name);
      }
    }
    if (!contents.input_ids.defined())
      throw error("holds a dict without input_ids. Save the tokens under that name");
    std::ranges::sort(contents.others);
    return contents;
  }

  DataError error(std::string_view what) const {
    return DataError(fmt::format("data.path: '{}' {}.", file_.string(), what));
  }

 private:
  c10::IValue load() const {
    try {
      caffe2::serialize::PyTorchStreamReader archive(file_.string());
      return torch::jit::readArchiveAndTensors("data", "", "", std::nullopt, std::nullopt, c10::kCPU,
                                               archive);
    } catch (const c10::Error& thrown) {
      const std::string_view message = thrown.what_without_backtrace();
      throw unreadable(message.substr(0, message.find('\n')));
    } catch (const std::exception& thrown) {
      throw unreadable(thrown.what());
    }
  }

  DataError unreadable(std::string_view why) const {
    return error(
        fmt::format("cannot be read as torch.save writes it ({}). Save a tensor, or a plain dict of "
                    "tensors: torch.save(dict(batch), path)",
                    why));
  }

  at::Tensor tokens(std::string_view name, const at::Tensor& tensor) const {
    if (!at::isIntegralType(tensor.scalar_type(), /*includeBool=*/false))
      throw error(fmt::format("has {} of {}. Save integers", name, toString(tensor.scalar_type())));
    return tensor.to(at::kLong).contiguous();
  }

  std::filesystem::path file_;
};

void check_shape(const config::RunConfig& config, const Contents& contents, const ArrayReader& reader) {
  const at::Tensor& input = contents.input_ids;
  if (input.dim() != 2)
    throw reader.error(fmt::format("has input_ids of {} dimensions. Save [batch, tokens]", input.dim()));
  if (input.size(0) != config.data.batch_size)
    throw reader.error(fmt::format("has {} sequences, but data.batch_size is {}. Write data.batch_size: {}",
                                   input.size(0), config.data.batch_size, input.size(0)));
  if (input.size(1) != config.model.context)
    throw reader.error(
        fmt::format("has {} tokens a sequence, but model.context is {}. Write model.context: {}",
                    input.size(1), config.model.context, input.size(1)));
  const bool classifies = is_classifier(config);
  const at::Tensor& labels = contents.labels;
  if (classifies && !labels.defined())
    throw reader.error("has no labels, but the model classifies. Save the class of each sequence as labels");
  if (classifies && (labels.dim() != 1 || labels.size(0) != input.size(0)))
    throw reader.error("has labels with a shape other than [batch]. Save the class of each sequence");
  if (!classifies && labels.defined() && labels.sizes() != input.sizes())
    throw reader.error("has labels with a shape other than that of input_ids. Save one label for each token");
}

void check_range(std::span<const std::int64_t> values, std::string_view what, std::string_view key,
                 std::int64_t limit, bool may_be_ignored, const ArrayReader& reader) {
  for (const std::int64_t value : values) {
    if ((value >= 0 && value < limit) || (may_be_ignored && value == kIgnored)) continue;
    throw reader.error(
        fmt::format("holds the {} {}, which is not from 0 to {}. Raise {}, or save another batch", what,
                    value, limit - 1, key));
  }
}

std::vector<std::int64_t> values_of(const at::Tensor& tensor) {
  const auto* const data = tensor.const_data_ptr<std::int64_t>();
  return {data, data + tensor.numel()};
}

// For each token the label of the next one.
std::vector<std::int64_t> shifted(std::vector<std::int64_t> labels, std::int64_t context) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_last = (i + 1) % static_cast<std::size_t>(context) == 0;
    labels[i] = is_last ? kIgnored : labels[i + 1];
  }
  return labels;
}

std::string describe(const Contents& contents, const std::filesystem::path& file) {
  std::string text =
      fmt::format("batch: {} sequences of {} tokens of {}, repeated", contents.input_ids.size(0),
                  contents.input_ids.size(1), file.filename().string());
  if (!contents.labels.defined()) text += ", which are their own labels";
  if (!contents.others.empty()) text += fmt::format("; ignored: {}", fmt::join(contents.others, ", "));
  return text;
}

// The tokens of `values`, `width` a row, from row `first` on, and again from the first.
at::Tensor rows_of(std::span<const std::int64_t> values, std::uint64_t first, at::IntArrayRef sizes,
                   std::int64_t width) {
  at::Tensor tensor = at::empty(sizes, at::kLong);
  auto* out = tensor.mutable_data_ptr<std::int64_t>();
  const auto columns = static_cast<std::size_t>(width);
  const std::uint64_t rows = values.size() / columns;
  for (std::int64_t i = 0; i < sizes[0]; ++i) {
    const std::uint64_t row = (first + static_cast<std::uint64_t>(i)) % rows;
    out = std::ranges::copy(values.subspan(row * columns, columns), out).out;
  }
  return tensor;
}

}  // namespace

BatchFile::BatchFile(const config::RunConfig& config)
    : context_(config.model.context), classifies_(is_classifier(config)) {
  const std::filesystem::path& file = config.data.files.at(0);
  const ArrayReader reader(file);
  const Contents contents = reader.read();
  check_shape(config, contents, reader);
  inputs_ = values_of(contents.input_ids);
  check_range(inputs_, "token", "model.vocab", config.model.vocab, false, reader);
  if (classifies_) {
    targets_ = values_of(contents.labels);
    check_range(targets_, "label", "model.classes", config.model.classes, true, reader);
  } else {
    targets_ = shifted(contents.labels.defined() ? values_of(contents.labels) : inputs_, context_);
    check_range(targets_, "label", "model.vocab", config.model.vocab, true, reader);
  }
  description_ = describe(contents, file);
}

Batch BatchFile::read(std::uint64_t first, std::int64_t samples) const {
  return {rows_of(inputs_, first, {samples, context_}, context_),
          classifies_ ? rows_of(targets_, first, {samples}, 1)
                      : rows_of(targets_, first, {samples, context_}, context_)};
}

}  // namespace strata::trainer
