// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/remedy_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::report {
namespace {

using analysis::Remedy;

struct RemedyRow {
  Remedy remedy;
  std::string_view effect;                     // {0}: the framework's words, {1}: whose
  std::array<std::string_view, 5> words = {};  // in the order of Framework; empty: as in PyTorch
};

constexpr std::array kRemedies{
    RemedyRow{Remedy::kIsTraining,
              "nothing to remove: this is the training step, and one step shows what all of them do"},
    RemedyRow{Remedy::kIsUsedAgain, "nothing to remove: later steps use it again"},
    RemedyRow{Remedy::kHalfPrecision,
              "16-bit weights ({0}) halve the 32-bit part and need no autocast copies",
              {"precision: bf16", ".to(torch.bfloat16)", "dtype=torch.bfloat16 for the model",
               "Trainer(precision=\"bf16-true\")", "model->to(torch::kBFloat16)"}},
    RemedyRow{Remedy::kNoAutocastCache,
              "{0} frees each copy after its operator, unless backward reads it",
              {"autocast_cache: false", "autocast's cache_enabled=False", "", "",
               "at::autocast::set_autocast_cache_enabled(false)"}},
    RemedyRow{
        Remedy::kSmallerState,
        "8-bit moments ({0}) need a quarter of Adam's state, one moment (lion, sgd with momentum) half of it",
        {"optimizer.name: adam8bit", "bitsandbytes' Adam8bit", "optim=\"adamw_bnb_8bit\"", "",
         "your own optimizer"}},
    RemedyRow{Remedy::kEarlyState,
              "{0} allocates the optimizer's state before the first step, so that the first step peaks like "
              "the others",
              {"optimizer.init_state: dummy", "an optimizer step with zero gradients"}},
    RemedyRow{Remedy::kPerLayerOptimizer,
              "{0} updates each weight in backward and frees its gradient at once",
              {"optimizer.per_layer: true",
               "an optimizer step in each parameter's register_post_accumulate_grad_hook", "", "",
               "an optimizer step in each parameter's post-accumulate hook"}},
    RemedyRow{
        Remedy::kFusedOptimizer,
        "{0} allocates no such temporaries",
        {"optimizer.impl: fused", "fused=True", "optim=\"adamw_torch_fused\"", "", "at::_fused_adamw_"}},
    RemedyRow{Remedy::kForeachOptimizer,
              "{0} divides in place",
              {"optimizer.impl: foreach", "foreach=True", "", "", "at::_foreach operators"}},
    RemedyRow{Remedy::kLoopOptimizer,
              "{0} allocates them for one parameter at a time",
              {"optimizer.impl: loop", "foreach=False", "", "", "torch::optim's loop"}},
    RemedyRow{Remedy::kProjectorInterval,
              "a larger {0} makes it rarer",
              {"optimizer.update_proj_gap", "update_proj_gap"}},
    RemedyRow{Remedy::kProjectorRank, "a smaller {0} makes it lower", {"optimizer.rank_fraction", "rank"}},
    RemedyRow{Remedy::kRandomizedProjector,
              "{0} decomposes a matrix that is only as wide as the rank",
              {"optimizer.name: rsvd_adam", "a randomised decomposition"}},
    RemedyRow{Remedy::kZeroGradAtStart,
              "{0} frees them before forward allocates its activations",
              {"zero_grad: {at: step_start}", "optimizer.zero_grad() at the start of the step"}},
    RemedyRow{Remedy::kZeroGradAtEnd,
              "{0} leaves no gradients behind",
              {"zero_grad: {at: step_end}", "optimizer.zero_grad() after optimizer.step()"}},
    RemedyRow{Remedy::kZeroGradFrees,
              "nothing to remove: with {0} gradients would stay for the whole step",
              {"set_to_none: false", "set_to_none=False", "", "", "/*set_to_none=*/false"}},
    RemedyRow{Remedy::kCheckpointBlocks,
              "{0} keeps only the layers' inputs and recomputes the rest",
              {"checkpointing: block", "torch.utils.checkpoint around each block",
               "activation_checkpointing=True (gradient_checkpointing=True in older releases)", "",
               "a torch::autograd::Function around each block"}},
    RemedyRow{Remedy::kCheckpointAttention,
              "{0} makes the waves lower",
              {"checkpointing: {select: attention}", "torch.utils.checkpoint only around attention", "", "",
               "a torch::autograd::Function that recomputes only attention"}},
    RemedyRow{Remedy::kNoCheckpointing,
              "{0} has no waves but keeps the activations of all layers at once",
              {"checkpointing: none", "no checkpointing"}},
    RemedyRow{Remedy::kOffloadCheckpoints,
              "all layers are recomputed and keep only their inputs; {0} moves these to the host's memory",
              {"checkpointing: {every: 1, offload: true}", "torch.autograd.graph.save_on_cpu", "", "",
               "at::SavedTensorDefaultHooks with hooks that copy to the host"}},
    RemedyRow{Remedy::kFewerLayers, "fewer or narrower layers"},
    RemedyRow{
        Remedy::kHalfBatch,
        "half the batch with twice the accumulation ({0}) halves it",
        {"data.batch_size, accumulation", "the loader's batch_size, and a step after every second backward",
         "per_device_train_batch_size, gradient_accumulation_steps",
         "the loader's batch_size, accumulate_grad_batches"}},
    RemedyRow{Remedy::kSmallerVocabulary, "half the vocabulary halves it"},
    RemedyRow{Remedy::kUntiedHead,
              "{0} adds nothing to it and has its own gradient",
              {"a head with its own weights (model.tied: false)", "a head with its own weights"}},
    RemedyRow{Remedy::kSparseEmbedding,
              "sparse=True keeps only the rows that were looked up, if the optimizer supports it"},
    RemedyRow{Remedy::kChunkedLoss,
              "computing the loss over pieces of the sequence needs only pieces of such tensors"},
    RemedyRow{Remedy::kInPlaceLoss, "a loss that writes its gradient over its input needs no second tensor"},
    RemedyRow{Remedy::kSmallerLogits, "smaller logits make the fall smaller"},
    RemedyRow{Remedy::kForwardOnly,
              "{0} keeps nothing if no backward follows",
              {"mode: forward", "torch.no_grad()", "", "", "a torch::NoGradGuard"}},
    RemedyRow{Remedy::kNoGrad,
              "{1} under {0} keep only their output",
              {"torch.no_grad()", "torch.no_grad()", "", "", "a torch::NoGradGuard"}},
    RemedyRow{
        Remedy::kDetachKept,
        "the program keeps losses or outputs with their graph: .detach() or .item() releases the graph"},
    RemedyRow{Remedy::kMoveKept,
              "the program keeps losses or outputs on the device: .item() or .cpu() copies their values to "
              "the host"},
    RemedyRow{Remedy::kReleaseOutputs,
              "a variable holds what {1} made after backward: free it before optimizer.step() ({0})",
              {"del", "del", "", "", "reset()"}},
    RemedyRow{
        Remedy::kReleaseGrowth,
        "something keeps more in each step: a list or a dictionary, an optimizer that was replaced, or "
        "the graph of backward(create_graph=True) in .grad ({0} shows which). Free it, or keep a copy on "
        "the host (.cpu())",
        {"strata report --stacks", "strata exec --holders", "", "", "strata report --stacks"}},
    RemedyRow{
        Remedy::kReleaseLeftover,
        "one step shows what all of them do; what each leaves behind adds up until the program frees it"},
    RemedyRow{Remedy::kExpandableSegments,
              "PYTORCH_ALLOC_CONF=expandable_segments:True lets the allocator grow a segment instead of "
              "reserving another"},
    RemedyRow{Remedy::kNotExpandableSegments,
              "nothing known: the allocator cuts its segments as sizes come, and expandable segments would "
              "reserve about as much"},
    RemedyRow{Remedy::kOneStream,
              "create a stream once and use it again: the allocator keeps freed blocks for the stream that "
              "they were allocated on. expandable_segments does not change that"},
    RemedyRow{Remedy::kOnePool,
              "let CUDA graphs share a pool ({0}), the largest captured first",
              {"torch.cuda.graph(graph, pool=first.pool())", "torch.cuda.graph(graph, pool=first.pool())", "",
               "", "graph.capture_begin(first.pool())"}},
    RemedyRow{
        Remedy::kWaitForStream,
        "let the stream that allocated a tensor wait for the one that uses it ({0}) before the tensor is "
        "freed, instead of record_stream; or let the host run less far ahead",
        {"torch.cuda.current_stream().wait_stream(side)", "torch.cuda.current_stream().wait_stream(side)", "",
         "", "event.block(stream)"}},
};

}  // namespace

Framework framework_of(const analysis::MemoryFacts& facts) {
  if (facts.is_configured) return Framework::kStrata;
  if (facts.trainer == "transformers") return Framework::kTransformers;
  if (facts.trainer == "lightning") return Framework::kLightning;
  return facts.trainer == "libtorch" ? Framework::kLibTorch : Framework::kPyTorch;
}

std::string remedy_words(Remedy remedy, Framework framework, std::string_view whose) {
  const RemedyRow& row = *std::ranges::find(kRemedies, remedy, &RemedyRow::remedy);
  const std::string_view words = row.words.at(static_cast<std::size_t>(framework));
  const std::string_view of_pytorch = row.words.at(static_cast<std::size_t>(Framework::kPyTorch));
  return fmt::format(fmt::runtime(row.effect), words.empty() ? of_pytorch : words, whose);
}

}  // namespace strata::report
