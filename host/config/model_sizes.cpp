// SPDX-License-Identifier: Apache-2.0
#include "host/config/model_sizes.hpp"

#include <algorithm>
#include <array>

namespace strata::config {
namespace {

constexpr ModelSize transformer(std::string_view name, std::int64_t d_model, std::int64_t d_ff,
                                std::int64_t layers, std::int64_t heads) {
  return {Architecture::kTransformer, name, d_model, d_ff, layers, heads, heads, 10'000};
}

constexpr ModelSize llama(std::string_view name, std::int64_t d_model, std::int64_t d_ff, std::int64_t layers,
                          std::int64_t heads, std::int64_t vocab = 32'000) {
  return {Architecture::kLlama, name, d_model, d_ff, layers, heads, heads, vocab};
}

constexpr ModelSize gpt2(std::string_view name, std::int64_t d_model, std::int64_t layers,
                         std::int64_t heads) {
  return {Architecture::kGpt2, name, d_model, 4 * d_model, layers, heads, heads, 50'257};
}

constexpr ModelSize qwen(std::string_view name, std::int64_t d_model, std::int64_t d_ff, std::int64_t layers,
                         std::int64_t heads, std::int64_t kv_heads) {
  return {Architecture::kQwen, name, d_model, d_ff, layers, heads, kv_heads, 151'936};
}

constexpr std::array kSizes{
    transformer("small", 768, 3072, 12, 12),
    transformer("medium", 1024, 4096, 24, 16),
    transformer("large", 1280, 5120, 36, 20),
    transformer("xl-2025", 1600, 6400, 48, 25),
    transformer("2.7b", 2560, 10240, 32, 32),
    transformer("10b", 4608, 12288, 50, 36),
    llama("9m", 128, 352, 4, 4),
    llama("20m", 256, 688, 4, 4),
    llama("35m", 384, 1024, 6, 8),
    llama("40m", 416, 1024, 8, 8),
    llama("60m", 512, 1376, 8, 8),
    llama("71m", 512, 1368, 12, 8),
    llama("100m", 640, 1708, 12, 10, 32'100),
    llama("130m", 768, 2048, 12, 12),
    llama("250m", 768, 2560, 24, 16),
    llama("350m", 1024, 2736, 24, 16),
    llama("1b", 2048, 5461, 24, 32),
    llama("3b", 2560, 6848, 32, 32),
    llama("7b", 4096, 11008, 32, 32),
    gpt2("small", 768, 12, 12),
    gpt2("medium", 1024, 24, 16),
    gpt2("large", 1280, 36, 20),
    gpt2("xl", 1600, 48, 25),
    qwen("0.5b", 896, 4864, 24, 14, 2),
    qwen("1.5b", 1536, 8960, 28, 12, 2),
    ModelSize{Architecture::kDistilBert, "base", 768, 3072, 6, 12, 12, 30'522},
};

// In the order of Architecture.
constexpr std::array kDefaults{
    ModelDefaults{.rope_theta = 1e4,
                  .norm_epsilon = 1e-5,
                  .positions = 0,
                  .tied = false,
                  .classes = 0,
                  .task = Task::kLanguageModel},
    ModelDefaults{.rope_theta = 1e4,
                  .norm_epsilon = 1e-6,
                  .positions = 0,
                  .tied = false,
                  .classes = 0,
                  .task = Task::kLanguageModel},
    ModelDefaults{.rope_theta = 0.0,
                  .norm_epsilon = 1e-5,
                  .positions = 1024,
                  .tied = true,
                  .classes = 0,
                  .task = Task::kLanguageModel},
    ModelDefaults{.rope_theta = 1e6,
                  .norm_epsilon = 1e-6,
                  .positions = 0,
                  .tied = true,
                  .classes = 0,
                  .task = Task::kLanguageModel},
    ModelDefaults{.rope_theta = 0.0,
                  .norm_epsilon = 1e-12,
                  .positions = 512,
                  .tied = false,
                  .classes = 2,
                  .task = Task::kSequenceClass},
    ModelDefaults{.rope_theta = 0.0,
                  .norm_epsilon = 1e-5,
                  .positions = 0,
                  .tied = false,
                  .classes = 1000,
                  .task = Task::kImageClass},
    ModelDefaults{.rope_theta = 0.0,
                  .norm_epsilon = 1e-5,
                  .positions = 0,
                  .tied = false,
                  .classes = 1000,
                  .task = Task::kImageClass},
    ModelDefaults{.rope_theta = 0.0,
                  .norm_epsilon = 1e-5,
                  .positions = 0,
                  .tied = false,
                  .classes = 1000,
                  .task = Task::kLanguageModel},
};

// The summands of a parameter count, as unsigned numbers.
struct Widths {
  explicit Widths(const ModelConfig& model)
      : model_width(static_cast<std::uint64_t>(model.d_model)),
        feed_forward(static_cast<std::uint64_t>(model.d_ff)),
        layers(static_cast<std::uint64_t>(model.layers)),
        vocab(static_cast<std::uint64_t>(model.vocab)),
        positions(static_cast<std::uint64_t>(model.positions)),
        keys(model.heads == 0 ? 0
                              : static_cast<std::uint64_t>(model.d_model / model.heads * model.kv_heads)) {}

  std::uint64_t model_width, feed_forward, layers, vocab, positions, keys;
};

std::uint64_t decoder_layer(const Widths& w, bool biased_keys) {
  const std::uint64_t attention = 2 * w.model_width * w.model_width + 2 * w.model_width * w.keys;
  const std::uint64_t biases = biased_keys ? w.model_width + 2 * w.keys : 0;
  return attention + biases + 3 * w.model_width * w.feed_forward + 2 * w.model_width;
}

std::uint64_t gpt2_layer(const Widths& w, bool bias) {
  const std::uint64_t weights = 4 * w.model_width * w.model_width + 2 * w.model_width * w.feed_forward;
  const std::uint64_t norms = 2 * w.model_width;
  const std::uint64_t biases = 3 * w.model_width + w.model_width + w.feed_forward + w.model_width + norms;
  return weights + norms + (bias ? biases : 0);
}

std::uint64_t distilbert(const Widths& w, std::uint64_t classes) {
  const std::uint64_t embeddings = (w.vocab + w.positions) * w.model_width + 2 * w.model_width;
  const std::uint64_t classifier =
      w.model_width * w.model_width + w.model_width + classes * (w.model_width + 1);
  return embeddings + w.layers * gpt2_layer(w, /*bias=*/true) + classifier;
}

// A convolution without bias, and the weight and bias of the norm after it.
constexpr std::uint64_t convolution(std::uint64_t from, std::uint64_t to, std::uint64_t kernel) {
  return from * to * kernel * kernel + 2 * to;
}

std::uint64_t resnet(bool is_50, std::uint64_t classes) {
  constexpr std::array<std::uint64_t, 4> kWidths{64, 128, 256, 512};
  constexpr std::array<std::uint64_t, 4> kBlocks18{2, 2, 2, 2};
  constexpr std::array<std::uint64_t, 4> kBlocks50{3, 4, 6, 3};
  std::uint64_t channels = 64;
  std::uint64_t count = convolution(3, channels, 7);
  for (std::size_t stage = 0; stage < kWidths.size(); ++stage) {
    const std::uint64_t width = kWidths[stage];
    const std::uint64_t out = is_50 ? 4 * width : width;
    if (channels != out) count += convolution(channels, out, 1);
    for (std::uint64_t block = 0; block < (is_50 ? kBlocks50 : kBlocks18)[stage]; ++block) {
      count +=
          is_50 ? convolution(channels, width, 1) + convolution(width, width, 3) + convolution(width, out, 1)
                : convolution(channels, width, 3) + convolution(width, width, 3);
      channels = out;
    }
  }
  return count + (channels + 1) * classes;
}

}  // namespace

std::span<const ModelSize> model_sizes() {
  return kSizes;
}

std::vector<std::string_view> size_names(Architecture model) {
  std::vector<std::string_view> names;
  for (const ModelSize& size : kSizes) {
    if (size.model == model) names.push_back(size.name);
  }
  return names;
}

std::vector<std::string_view> size_names() {
  std::vector<std::string_view> names;
  for (const ModelSize& size : kSizes) {
    if (std::ranges::find(names, size.name) == names.end()) names.push_back(size.name);
  }
  return names;
}

const ModelSize* find_model_size(Architecture model, std::string_view name) {
  const auto found = std::ranges::find_if(
      kSizes, [&](const ModelSize& size) { return size.model == model && size.name == name; });
  return found == kSizes.end() ? nullptr : &*found;
}

const ModelDefaults& defaults_of(Architecture model) {
  return kDefaults.at(static_cast<std::size_t>(model));
}

std::uint64_t parameter_count(const ModelConfig& model) {
  const Widths w(model);
  const auto classes = static_cast<std::uint64_t>(model.classes);
  if (is_resnet(model.name)) return resnet(model.name == Architecture::kResnet50, classes);
  if (model.name == Architecture::kDistilBert) return distilbert(w, classes);
  const std::uint64_t table = w.vocab * w.model_width;
  const std::uint64_t tables = model.tied ? table : 2 * table;
  if (model.name == Architecture::kGpt2) {
    const std::uint64_t final_norm = (model.bias ? 2 : 1) * w.model_width;
    return tables + w.positions * w.model_width + final_norm + w.layers * gpt2_layer(w, model.bias);
  }
  return tables + w.model_width + w.layers * decoder_layer(w, model.name == Architecture::kQwen);
}

}  // namespace strata::config
