#include "host/config/model_sizes.hpp"

#include <algorithm>
#include <array>

namespace strata::config {
namespace {

constexpr std::array kSizes{
    ModelSize{.name = "small", .d_model = 768, .d_ff = 3072, .layers = 12, .heads = 12, .vocab = 10000},
    ModelSize{.name = "medium", .d_model = 1024, .d_ff = 4096, .layers = 24, .heads = 16, .vocab = 10000},
    ModelSize{.name = "large", .d_model = 1280, .d_ff = 5120, .layers = 36, .heads = 20, .vocab = 10000},
    ModelSize{.name = "xl-2025", .d_model = 1600, .d_ff = 6400, .layers = 48, .heads = 25, .vocab = 10000},
    ModelSize{.name = "2.7b", .d_model = 2560, .d_ff = 10240, .layers = 32, .heads = 32, .vocab = 10000},
    ModelSize{.name = "10b", .d_model = 4608, .d_ff = 12288, .layers = 50, .heads = 36, .vocab = 10000},
};

}  // namespace

std::span<const ModelSize> model_sizes() {
  return kSizes;
}

const ModelSize* find_model_size(std::string_view name) {
  const auto found = std::ranges::find(kSizes, name, &ModelSize::name);
  return found == kSizes.end() ? nullptr : &*found;
}

std::uint64_t parameter_count(const ModelConfig& model) {
  const auto layers = static_cast<std::uint64_t>(model.layers);
  const auto d_model = static_cast<std::uint64_t>(model.d_model);
  const auto d_ff = static_cast<std::uint64_t>(model.d_ff);
  const auto vocab = static_cast<std::uint64_t>(model.vocab);
  const std::uint64_t layer = 4 * d_model * d_model + 3 * d_model * d_ff + 2 * d_model;
  return 2 * vocab * d_model + d_model + layers * layer;
}

}  // namespace strata::config
