// SPDX-License-Identifier: Apache-2.0
#include "host/config/loading/model_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/config/files/paths.hpp"
#include "host/config/reading/document.hpp"
#include "host/config/reading/node.hpp"

namespace strata::config {
namespace {

constexpr std::string_view kFileKey = "model.config";

struct Name {
  std::string_view theirs;
  std::string_view ours;
};

constexpr std::array kModelTypes{Name{"llama", "llama"}, Name{"gpt2", "gpt2"}, Name{"qwen2", "qwen"},
                                 Name{"distilbert", "distilbert"}};

constexpr std::array kDecoderNames{
    Name{"num_hidden_layers", "model.layers"},     Name{"hidden_size", "model.d_model"},
    Name{"intermediate_size", "model.d_ff"},       Name{"num_attention_heads", "model.heads"},
    Name{"num_key_value_heads", "model.kv_heads"}, Name{"vocab_size", "model.vocab"},
    Name{"rope_theta", "model.rope_theta"},        Name{"rms_norm_eps", "model.norm_epsilon"},
    Name{"tie_word_embeddings", "model.tied"}};
constexpr std::array kGpt2Names{Name{"n_layer", "model.layers"},
                                Name{"n_embd", "model.d_model"},
                                Name{"n_inner", "model.d_ff"},
                                Name{"n_head", "model.heads"},
                                Name{"vocab_size", "model.vocab"},
                                Name{"n_positions", "model.positions"},
                                Name{"layer_norm_epsilon", "model.norm_epsilon"},
                                Name{"activation_function", "model.activation"},
                                Name{"resid_pdrop", "model.dropout"},
                                Name{"tie_word_embeddings", "model.tied"}};
constexpr std::array kDistilBertNames{
    Name{"n_layers", "model.layers"},  Name{"dim", "model.d_model"},
    Name{"hidden_dim", "model.d_ff"},  Name{"n_heads", "model.heads"},
    Name{"vocab_size", "model.vocab"}, Name{"max_position_embeddings", "model.positions"},
    Name{"dropout", "model.dropout"},  Name{"num_labels", "model.classes"}};

std::span<const Name> names_of(std::string_view model) {
  if (model == "gpt2") return kGpt2Names;
  if (model == "distilbert") return kDistilBertNames;
  return kDecoderNames;
}

// A fixed property of one of our models for which a file may request another value.
struct Fixed {
  std::string_view theirs;
  std::string_view models;  // ours, in one word
  std::string_view value;   // "null": it must not be said
};

constexpr std::array kFixed{Fixed{"hidden_act", "llama qwen", "silu"},
                            Fixed{"attention_bias", "llama", "false"},
                            Fixed{"mlp_bias", "llama", "false"},
                            Fixed{"rope_scaling", "llama qwen", "null"},
                            Fixed{"use_sliding_window", "qwen", "false"},
                            Fixed{"activation", "distilbert", "gelu"},
                            Fixed{"scale_attn_by_inverse_layer_idx", "gpt2", "false"},
                            Fixed{"add_cross_attention", "gpt2", "false"}};

class ModelFileReader {
 public:
  ModelFileReader(std::string source, Written& written, std::vector<Problem>& problems)
      : source_(std::move(source)), written_(written), problems_(problems) {}

  void read(const YAML::Node& root) {
    const std::optional<std::string_view> model = model_of(root);
    if (!model) return;
    add("model.name", YAML::Node(std::string(*model)), {.source = source_});
    add("model.size", YAML::Node("custom"), {.source = source_});
    for (const Fixed& fixed : kFixed) require(root, fixed, *model);
    for (const Name& name : names_of(*model)) {
      const YAML::Node value = root[std::string(name.theirs)];
      if (value.IsDefined() && !value.IsNull()) add(name.ours, value, place(value));
    }
    if (*model == "gpt2" && !written_.values.contains("model.d_ff")) add_gpt2_width(root);
  }

 private:
  Place place(const YAML::Node& node) const { return place_of(node, {.source = source_}); }

  // Values from YAML or the command line take precedence.
  void add(std::string_view path, const YAML::Node& node, const Place& place) {
    if (!written_.values.contains(path)) written_.put(std::string(path), {node, place});
  }

  // The architecture, which the YAML may not contradict.
  std::optional<std::string_view> model_of(const YAML::Node& root) {
    const YAML::Node type = root["model_type"];
    const std::string text = type.IsDefined() && type.IsScalar() ? type.Scalar() : std::string();
    const auto* const found = std::ranges::find(kModelTypes, std::string_view(text), &Name::theirs);
    if (found == kModelTypes.end()) {
      problem(type.IsDefined() ? place(type) : Place{.source = source_},
              fmt::format("expected a model_type of llama, gpt2, qwen2 or distilbert, found {}",
                          type.IsDefined() ? describe(type) : "none"));
      return std::nullopt;
    }
    const auto named = written_.values.find("model.name");
    if (named != written_.values.end() &&
        !(named->second.node.IsScalar() && named->second.node.Scalar() == found->ours)) {
      problem(place(type),
              fmt::format("describes a {}, but model.name is {}; remove model.name, or name another file",
                          found->ours, describe(named->second.node)));
      return std::nullopt;
    }
    return found->ours;
  }

  void require(const YAML::Node& root, const Fixed& fixed, std::string_view model) {
    if (fixed.models.find(model) == std::string_view::npos) return;
    const YAML::Node value = root[std::string(fixed.theirs)];
    if (!value.IsDefined() || value.IsNull() || (value.IsScalar() && value.Scalar() == fixed.value)) return;
    problem(place(value), fmt::format("sets {}: {}, which {} does not support here; expected {}",
                                      fixed.theirs, describe(value), model, fixed.value));
  }

  // GPT-2's configuration may leave it to be four times the model's.
  void add_gpt2_width(const YAML::Node& root) {
    const YAML::Node width = root["n_embd"];
    if (!width.IsDefined()) return;
    try {
      add("model.d_ff", YAML::Node(4 * width.as<std::int64_t>()), place(width));
    } catch (const YAML::Exception&) {
      // Said of model.d_model.
    }
  }

  void problem(const Place& place, std::string message) {
    problems_.push_back({place, std::string(kFileKey), std::move(message)});
  }

  std::string source_;
  Written& written_;
  std::vector<Problem>& problems_;
};

}  // namespace

bool read_model_file(Written& written, std::vector<Problem>& problems) {
  const auto found = written.values.find(kFileKey);
  if (found == written.values.end()) return true;
  const WrittenValue value = found->second;
  const auto problem = [&](std::string message) {
    problems.push_back({value.place, std::string(kFileKey), std::move(message)});
    return false;
  };
  if (!value.node.IsScalar() || value.node.Scalar().empty())
    return problem(fmt::format("expected a file, found {}", describe(value.node)));
  if (written.values.contains("model.size")) return false;  // which is refused elsewhere
  written.values.erase(found);
  const std::size_t before = problems.size();
  try {
    const std::filesystem::path file = value.place.folder() / expand_variables(value.node.Scalar());
    const std::string source = file.lexically_normal().string();
    ModelFileReader(source, written, problems).read(parse_document(read_text(file), source));
    return problems.size() == before;
  } catch (const ConfigError& error) {
    problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    return false;
  } catch (const std::invalid_argument& error) {
    return problem(error.what());
  }
}

}  // namespace strata::config
