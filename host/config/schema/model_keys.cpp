// SPDX-License-Identifier: Apache-2.0
// The model: the keys of `model`.
#include "host/config/model_sizes.hpp"
#include "host/config/schema/bound_types.hpp"
#include "host/config/schema/schema_parts.hpp"

namespace strata::config {
namespace {

constexpr std::int64_t kModelMillion = 1'000'000;
constexpr std::string_view kFromSize = "the size's; required with custom";

std::vector<std::string_view> names_of_sizes() {
  std::vector<std::string_view> names = size_names();
  names.emplace_back("custom");
  return names;
}

// The conditions of several keys.
struct OnlyOfModel {
  Condition grouped_heads{.key = "model.name", .values = {"llama", "qwen"}};
  Condition rotary{.key = "model.name", .values = {"transformer", "llama", "qwen"}};
  Condition gpt2{.key = "model.name", .values = {"gpt2"}};
  Condition attends{.key = "model.name", .values = {"transformer", "llama", "gpt2", "qwen", "distilbert"}};
  Condition reads_tokens{.key = "model.name",
                         .values = {"transformer", "llama", "gpt2", "qwen", "distilbert", "torchscript"}};
  Condition decodes{.key = "model.name", .values = {"transformer", "llama", "gpt2", "qwen"}};
  Condition learns_positions{.key = "model.name", .values = {"gpt2", "distilbert"}};
  Condition classifies{.key = "model.name", .values = {"distilbert", "resnet18", "resnet50", "torchscript"}};
  Condition scripted{.key = "model.name", .values = {"torchscript"}};
  Condition sees_images{.key = "model.name", .values = {"resnet18", "resnet50", "torchscript"}};
};

}  // namespace

std::vector<Key> model_keys() {
  using namespace bound;
  using C = RunConfig;
  using M = ModelConfig;
  const OnlyOfModel only;
  return {
      {.path = "model.name",
       .type = choice<&C::model, &M::name>(
           {"transformer", "llama", "gpt2", "qwen", "distilbert", "resnet18", "resnet50", "torchscript"}),
       .default_text = "transformer",
       .help = "transformer: the model of Stanford CS336, with every operation written out. llama: the "
               "operations of transformers, in GaLore's sizes. gpt2: learned positions, LayerNorm, biases, "
               "tied head. qwen: Qwen2.5, with shared keys and values and a vocabulary of 151,936. "
               "distilbert: classifies sequences. resnet18, resnet50: classify images, as in torchvision. "
               "torchscript: your own model, from a file written by torch.jit.save."},
      {.path = "model.size",
       .type = one_of<&C::model, &M::size>(names_of_sizes(), "a size of the model, such as small, or custom"),
       .help = "A named size, in which every field can be overridden, or custom. transformer: small to 10b; "
               "llama: 9m to 7b; gpt2: small to xl; qwen: 0.5b, 1.5b; distilbert: base.",
       .default_help = "required, except for distilbert: base",
       .required_when = only.decodes,
       .unless_written = "model.config",
       .only_when = only.attends},
      {.path = "model.config",
       .type = FileType{},
       .help = "A file like Hugging Face's config.json of llama, gpt2, qwen2 or distilbert. It gives the "
               "shape; keys that are set here override it.",
       .default_help = "none",
       .instead_of = {"model.size"}},
      {.path = "model.layers",
       .type = integer<&C::model, &M::layers>(1, 10'000),
       .help = "Transformer blocks.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.d_model",
       .type = integer<&C::model, &M::d_model>(2, kModelMillion),
       .help = "Width of the residual stream.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.d_ff",
       .type = integer<&C::model, &M::d_ff>(1, 10 * kModelMillion),
       .help = "Width of the feed-forward layer.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.heads",
       .type = integer<&C::model, &M::heads>(1, 10'000),
       .help = "Attention heads. Their number must divide d_model; with RoPE each head needs an even number "
               "of elements.",
       .default_help = kFromSize,
       .only_when = only.attends},
      {.path = "model.kv_heads",
       .type = integer<&C::model, &M::kv_heads>(1, 10'000),
       .help = "Heads of keys and values; each is shared by heads / kv_heads query heads.",
       .default_help = "the size's; as many as heads with custom, or if heads is given",
       .only_when = only.grouped_heads},
      {.path = "model.vocab",
       .type = integer<&C::model, &M::vocab>(2, 10 * kModelMillion),
       .help = "Size of the vocabulary; at least 256 for bytes.",
       .default_help = kFromSize,
       .only_when = only.reads_tokens},
      {.path = "model.context",
       .type = integer<&C::model, &M::context>(1, 10 * kModelMillion),
       .default_text = "512",
       .help = "Tokens of one sequence.",
       .only_when = only.reads_tokens},
      {.path = "model.positions",
       .type = integer<&C::model, &M::positions>(1, 10 * kModelMillion),
       .help = "Number of learned positions: the longest context.",
       .default_help = "1024; of distilbert 512",
       .only_when = only.learns_positions},
      {.path = "model.rope_theta",
       .type = real_above<&C::model, &M::rope_theta>(0.0),
       .help = "Base of the rotary embedding's wavelengths.",
       .default_help = "the model's: 10000; 1000000 for qwen",
       .only_when = only.rotary},
      {.path = "model.norm_epsilon",
       .type = real_above<&C::model, &M::norm_epsilon>(0.0),
       .help = "Added to the mean square in RMSNorm and to the variance in LayerNorm.",
       .default_help = "the model's: 1e-5; 1e-6 for llama and qwen; 1e-12 for distilbert",
       .only_when = only.attends},
      {.path = "model.tied",
       .type = flag<&C::model, &M::tied>(),
       .help = "Share the embedding's weight with the head.",
       .default_help = "the model's: true for gpt2 and qwen",
       .only_when = only.decodes},
      {.path = "model.bias",
       .type = flag<&C::model, &M::bias>(),
       .default_text = "true",
       .help = "Use biases in linear layers and norms.",
       .only_when = only.gpt2},
      {.path = "model.activation",
       .type = choice<&C::model, &M::activation>({"gelu_new", "gelu_pytorch_tanh", "gelu"}),
       .default_text = "gelu_new",
       .help = "gelu_new: written out in single operations, as in transformers, which keeps four tensors for "
               "backward; gelu_pytorch_tanh: the same function in one kernel; gelu: the exact function.",
       .only_when = only.gpt2},
      {.path = "model.dropout",
       .type = fraction<&C::model, &M::dropout>(),
       .default_text = "0.0",
       .help = "Dropout rate of embeddings, attention weights and each layer's output.",
       .only_when = only.learns_positions},
      {.path = "model.classes",
       .type = integer<&C::model, &M::classes>(1, kModelMillion),
       .help = "Number of classes.",
       .default_help = "the model's: 1000; 2 for distilbert",
       .only_when = only.classifies},
      {.path = "model.image_size",
       .type = integer<&C::model, &M::image_size>(32, 100'000),
       .default_text = "224",
       .help = "Width and height of each image in pixels.",
       .only_when = only.sees_images},
      {.path = "model.file",
       .type = path<&C::model, &M::file>(),
       .help = "A file written by torch.jit.save. The model's forward takes the batch's input and returns "
               "logits.",
       .default_help = "required with torchscript",
       .required_when = only.scripted,
       .only_when = only.scripted},
      {.path = "model.task",
       .type = choice<&C::model, &M::task>({"language_model", "sequence_class", "image_class"}),
       .default_text = "language_model",
       .help = "Input and output of the model: tokens and logits of each next token; tokens and logits of "
               "classes; or images and logits of classes.",
       .only_when = only.scripted},
      {.path = "model.init",
       .type = choice<&C::model, &M::init>({"random", "hash"}),
       .default_text = "random",
       .help = "Initial weights: random, as the architecture defines; or from an integer hash that gives the "
               "same weights in every language (docs/configuration.md)."},
  };
}

}  // namespace strata::config
