// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/program_words.hpp"

#include <array>
#include <span>
#include <string_view>

namespace strata::analysis {
namespace {

struct Words {
  std::string_view key, words;
};

// Longer ones before those that they begin with.
constexpr std::array kPyTorch{
    Words{"checkpointing: {every: 1, offload: true}", "torch.autograd.graph.save_on_cpu"},
    Words{"checkpointing: {select: attention}", "torch.utils.checkpoint around attention alone"},
    Words{"checkpointing: block", "torch.utils.checkpoint around each block"},
    Words{"checkpointing: none", "no checkpointing"},
    Words{"(data.batch_size, accumulation)", "(the loader's batch_size, and a step every second backward)"},
    Words{"optimizer.impl: fused", "fused=True"},
    Words{"optimizer.impl: foreach", "foreach=True"},
    Words{"optimizer.impl: loop", "foreach=False"},
    Words{"optimizer.name: adam8bit", "bitsandbytes' Adam8bit"},
    Words{"optimizer.name: rsvd_adam", "a randomised decomposition"},
    Words{"optimizer.per_layer: true", "a step in each parameter's register_post_accumulate_grad_hook"},
    Words{"optimizer.init_state: dummy makes", "a first step with gradients of zero makes"},
    Words{"optimizer.update_proj_gap", "update_proj_gap"},
    Words{"optimizer.rank_fraction", "rank"},
    Words{"zero_grad: {at: step_start}", "optimizer.zero_grad() at the step's begin"},
    Words{"zero_grad: {at: step_end}", "optimizer.zero_grad() behind optimizer.step()"},
    Words{"set_to_none: false", "set_to_none=False"},
    Words{"autocast_cache: false", "autocast's cache_enabled=False"},
    Words{"precision: bf16", ".to(torch.bfloat16)"},
    Words{"mode: forward", "torch.no_grad()"},
    Words{" (model.tied: false)", ""}};

// What TrainingArguments has a name for; the rest is as in any program.
constexpr std::array kTransformers{
    Words{"checkpointing: block",
          "activation_checkpointing=True, in older releases gradient_checkpointing=True"},
    Words{"(data.batch_size, accumulation)",
          "(per_device_train_batch_size halved, gradient_accumulation_steps doubled)"},
    Words{"optimizer.impl: fused", "optim=\"adamw_torch_fused\""},
    Words{"optimizer.name: adam8bit", "optim=\"adamw_bnb_8bit\""},
    Words{"precision: bf16", "dtype=torch.bfloat16 of the model"}};

// What Lightning's Trainer has a name for.
constexpr std::array kLightning{Words{"(data.batch_size, accumulation)",
                                      "(the loader's batch_size halved, accumulate_grad_batches doubled)"},
                                Words{"precision: bf16", "Trainer(precision=\"bf16-true\")"}};

// torch::optim has a loop over parameters alone, and no checkpoint.
constexpr std::array kLibTorch{
    Words{"checkpointing: {every: 1, offload: true}", "at::SavedTensorDefaultHooks that copy to the host"},
    Words{"checkpointing: {select: attention}",
          "a torch::autograd::Function around attention that computes it again in backward"},
    Words{"checkpointing: block",
          "a torch::autograd::Function around each block that computes it again in backward"},
    Words{"optimizer.impl: fused", "at::_fused_adamw_"},
    Words{"optimizer.impl: foreach", "at::_foreach operators"},
    Words{"optimizer.impl: loop", "torch::optim's loop"},
    Words{"optimizer.name: adam8bit", "an optimizer of your own"},
    Words{"optimizer.per_layer: true", "a step in each parameter's post-accumulate hook"},
    Words{"set_to_none: false", "/*set_to_none=*/false"},
    Words{"torch.no_grad()", "a torch::NoGradGuard"},
    Words{"mode: forward", "a torch::NoGradGuard"},
    Words{"autocast_cache: false", "at::autocast::set_autocast_cache_enabled(false)"},
    Words{"precision: bf16", "model->to(torch::kBFloat16)"}};

void put(std::span<const Words> words_of_keys, std::string& remedy) {
  for (const auto& [key, words] : words_of_keys) {
    for (std::size_t at = remedy.find(key); at != std::string::npos; at = remedy.find(key, at + words.size()))
      remedy.replace(at, key.size(), words);
  }
}

}  // namespace

std::string in_words_of_program(std::string remedy, std::string_view trainer) {
  if (trainer == "transformers") put(kTransformers, remedy);
  if (trainer == "lightning") put(kLightning, remedy);
  if (trainer == "libtorch") put(kLibTorch, remedy);
  put(kPyTorch, remedy);
  return remedy;
}

}  // namespace strata::analysis
