// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/sentences.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "host/report/quantity.hpp"

namespace strata::report {
namespace {

using analysis::Remedy;
using analysis::Shape;
using fmt::format;

std::string blocks(std::uint64_t count) {
  return counted(count, "block", "blocks");
}

std::string_view proof_of(analysis::WhyUnused why) {
  switch (why) {
    case analysis::WhyUnused::kNoBackward:
      return "it is freed newest first, and no backward has begun since its first block";
    case analysis::WhyUnused::kLikeOthers:
      return "others from the same forwards are freed before any backward begins";
    case analysis::WhyUnused::kPassedBy:
      return "a backward passes it by and makes no gradient of its parameters";
    case analysis::WhyUnused::kNoStep:
      return "its parameters' gradients are never cleared, and no optimizer has state for them in this run";
  }
  return {};
}

std::string if_expandable(std::uint64_t reserved_bytes, std::uint64_t if_expandable_bytes) {
  return format("the same blocks in expandable segments take {} instead of {}", in_mib(if_expandable_bytes),
                in_mib(reserved_bytes));
}

// What a shape is, and what proves it.
struct Sentences {
  std::string sentence, evidence;
};

// The shapes of a step, in the order in which it has them.
struct StepSentences {
  const Shape& shape;
  std::string size = in_mib(shape.bytes);

  Sentences operator()(const analysis::ForwardTriangleDetail& triangle) const {
    using Descent = analysis::ForwardTriangleDetail::Descent;
    std::string descent = "Backward frees them.";
    if (triangle.descent == Descent::kPart)
      descent = format("Backward frees {} of them.", in_mib(triangle.freed_bytes));
    if (triangle.descent == Descent::kKeptByBackward)
      descent = "The backward that follows keeps them, as with create_graph=True.";
    if (triangle.descent == Descent::kNoBackward) descent = "No backward frees them.";
    return {format("Forward allocates {} over {} layers ({}): each layer keeps activations for backward. {}",
                   size, triangle.layers, triangle.layer_names, descent),
            format("activations of {} numbered layers, allocated in forward and alive at its end",
                   triangle.layers)};
  }
  Sentences operator()(const analysis::LayerStripesDetail& stripes) const {
    return {format("{} equal stripes, one per layer ({}): each layer keeps {} for backward.", stripes.layers,
                   shape.layer, in_mib(stripes.bytes_of_each)),
            format("{} neighbouring layers hold the same amount at forward's end, to within a hundredth",
                   stripes.layers)};
  }
  Sentences operator()(const analysis::AutocastCopiesDetail& autocast) const {
    return {format("Autocast keeps 16-bit copies of {} next to the 32-bit weights: {} at once.",
                   counted(autocast.copies, "weight", "weights"), size),
            format("{} registered as autocast's copies of parameters and alive at the same moment",
                   blocks(autocast.copies))};
  }
  Sentences operator()(const analysis::LogitsSlabDetail& slab) const {
    return {format("The logits have one number for each token and each vocabulary entry: {}, {}% of the "
                   "step's peak.",
                   size, slab.percent_of_peak),
            format("one block registered as logits, allocated in {}", shape.layer)};
  }
  Sentences operator()(const analysis::SoftmaxSpikeDetail& softmax) const {
    return {format("The logits and their softmax are alive at the same time: memory is {} higher than before "
                   "and after.",
                   size),
            format("{} by {}, {}, allocated in the loss while the logits are alive", in_mib(softmax.bytes),
                   softmax.op, to_string(softmax.kind))};
  }
  Sentences operator()(const analysis::BackwardStartDetail& start) const {
    return {format("Backward starts at the loss. Its gradients are as large as the logits: memory rises {} "
                   "above forward's end while softmax's result is still alive.",
                   size),
            format("{} by {}, allocated in backward before the first block of any layer",
                   blocks(start.blocks), start.op)};
  }
  Sentences operator()(const analysis::LogitsCliffDetail& cliff) const {
    return {format("Backward no longer needs the logits: it frees their softmax and its gradients, and "
                   "memory falls by {}.",
                   size),
            format("{} at least half as large as the logits, freed in backward up to here",
                   blocks(cliff.blocks))};
  }
  Sentences operator()(const analysis::HeadGradientDetail& head) const {
    return {format("Backward first computes the gradient of {}'s weight: {}. It stays until {}.", shape.layer,
                   size,
                   head.is_tied ? "the end of backward, which adds the gradient of the tied embedding"
                                : "gradients are cleared"),
            format("{} by {} in backward, {}", to_string(head.kind), head.op,
                   head.is_tied ? "as large as the gradient of the tied embedding, before any layer's"
                                : "in the module that made the logits")};
  }
  Sentences operator()(const analysis::RecomputationDetail& waves) const {
    return {
        format("{} waves in backward, one per layer ({}): a checkpointed layer recomputes its activations, "
               "up to {}, and frees them before the next layer starts.",
               waves.layers, waves.layer_names, size),
        format("recomputed blocks of {} layers; those of one layer are freed before those of the next come",
               waves.layers)};
  }
  Sentences operator()(const analysis::EmbeddingGradientDetail& embedding) const {
    return {format("At the end of backward, the gradient of the embedding {} covers all its rows ({}), not "
                   "only the rows that were looked up.{}",
                   shape.layer, size,
                   embedding.is_added ? " Backward adds it to an earlier gradient or to the head's." : ""),
            format("{} in {} in backward, where forward looked up rows", embedding.op, shape.layer)};
  }
  Sentences operator()(const analysis::OptimizerPlateauDetail& plateau) const {
    return {format("The optimizer updates all parameters together: {} allocates {} for {} at once, and the "
                   "optimizer frees it at the end.",
                   plateau.op, size, counted(plateau.temporaries, "parameter", "parameters")),
            format("{} by {} alive at the same moment in the optimizer, of {}",
                   counted(plateau.temporaries, "temporary", "temporaries"), plateau.op,
                   counted(plateau.parameters, "parameter", "parameters"))};
  }
  Sentences operator()(const analysis::FlatOptimizerDetail& flat) const {
    return {format("The optimizer works in place on {}: {} of parameters, {} of gradients and {} of state. "
                   "Like a fused optimizer, it allocates no temporaries.",
                   size, in_mib(flat.parameter_bytes), in_mib(flat.gradient_bytes), in_mib(flat.state_bytes)),
            "gradients are alive, and the level rises by less than a thousandth of the step's peak"};
  }
  Sentences operator()(const analysis::DivisionFlagpoleDetail& pole) const {
    return {
        format("The optimizer's highest moment: it divides by the root of the second moment into a new "
               "tensor of {}, on top of {} of other temporaries.",
               size, in_mib(pole.base_bytes)),
        format("{} allocates a temporary at the optimizer's highest level while others are alive", pole.op)};
  }
  Sentences operator()(const analysis::ProjectorSpikeDetail& spike) const {
    return {format("The optimizer recomputes {}: the decomposition of a gradient ({}) and its copies take {} "
                   "for a moment.",
                   counted(spike.projectors, "projector", "projectors"), spike.op, size),
            format("temporaries by {} in an optimizer phase that allocates {} of the kind projector",
                   spike.op, blocks(spike.projectors))};
  }
  Sentences operator()(const analysis::ZeroGradCliffDetail& cliff) const {
    return {format("zero_grad frees {} of the previous step: {}.{}",
                   counted(cliff.gradients, "gradient", "gradients"), size,
                   cliff.is_after_forward ? " Until now they were alive together with forward's activations."
                                          : ""),
            format("{} of Gradient, freed in the phase zero_grad", blocks(cliff.gradients))};
  }
};

// Adds the shapes of a whole run.
struct ShapeSentences : StepSentences {
  using StepSentences::operator();

  Sentences operator()(const analysis::ConstantBandDetail& band) const {
    return {format("{} stay allocated for the whole step: {} of parameters, {} of optimizer state.", size,
                   in_mib(band.parameter_bytes), in_mib(band.state_bytes)),
            format("{} of Parameter and Optimizer_State, allocated before step {} and alive after it",
                   blocks(band.blocks), shape.step)};
  }
  Sentences operator()(const analysis::RepeatingStepDetail& steps) const {
    const std::string left = in_mib(static_cast<std::uint64_t>(std::abs(steps.left_bytes)));
    const std::string end = steps.comes_back
                                ? "returns to it"
                                : format("ends {} {} it", left, steps.left_bytes > 0 ? "above" : "below");
    return {format("Steps {} to {} repeat one pattern: each step rises {} above its start and {}.",
                   steps.first_step, steps.last_step, size, end),
            format("{} of the same sizes in the same order in each of {} steps",
                   counted(steps.changes, "allocation or free", "allocations and frees"), shape.count)};
  }
  Sentences operator()(const analysis::FirstStepGrowthDetail& growth) const {
    std::vector<std::string> left;
    left.reserve(growth.left.size());
    for (const auto& [kind, bytes] : growth.left)
      left.push_back(format("{} {}", in_mib(bytes), to_string(kind)));
    std::string text =
        format("The first step ends {} above its start{}. It leaves {}.", size,
               growth.later_bytes == 0 ? ", and no later step does" : "", fmt::join(left, ", "));
    if (growth.gone_bytes > 0) text += format(" It frees {} of earlier memory.", in_mib(growth.gone_bytes));
    if (growth.later_bytes > 0)
      text += format(" Later steps end up to {} above that.", in_mib(growth.later_bytes));
    return {std::move(text),
            format("step {} ends {} higher than it begins, step {} ends {} higher", growth.step, size,
                   growth.second_step, in_mib(growth.second_growth_bytes))};
  }
  Sentences operator()(const analysis::GrowingMemoryDetail& growth) const {
    const std::string_view unit = growth.is_by_step ? "step" : "forward";
    std::string extent = format("{} forwards of step {}", growth.forwards, growth.first_step);
    if (growth.first_step != growth.last_step)
      extent = format("{} forwards of steps {} and {}", growth.forwards, growth.first_step, growth.last_step);
    if (growth.is_by_step)
      extent = format("{} steps ({} to {})", growth.steps, growth.first_step, growth.last_step);
    return {format("Memory grows by {} per {} over {}. What {} made in step {} is still alive {}; together "
                   "with what each later {} left, it takes {}.",
                   in_mib(growth.mean_bytes), unit, extent, maker_words(growth.maker), growth.first_step,
                   growth.lasts_to_end ? "at the end" : format("in step {}", growth.last_step), unit, size),
            format("{} of {}; each outlives the step after its own, and none is freed in a backward",
                   blocks(growth.blocks), counted(growth.forwards, "forward", "forwards"))};
  }
  Sentences operator()(const analysis::StepGrowthDetail& growth) const {
    return {
        format(
            "Memory grows by {} per step over {} steps ({} to {}), and no forward made it. What {} made {} "
            "of step {} is still alive {}; together with what each later step left, it takes {}.",
            in_mib(growth.mean_bytes), growth.steps, growth.first_step, growth.last_step,
            maker_words(growth.maker), growth.phase.empty() ? "between phases" : "in " + growth.phase,
            growth.first_step, growth.lasts_to_end ? "at the end" : format("in step {}", growth.last_step),
            size),
        format("{} of {} steps; each outlives the step after its own", blocks(growth.blocks), growth.steps)};
  }
  Sentences operator()(const analysis::UnusedGraphDetail& unused) const {
    const bool has_no_step = unused.why == analysis::WhyUnused::kNoStep;
    const std::string_view nobody = has_no_step ? "No optimizer uses the gradients of" : "No backward uses";
    const std::string forwards = forwards_words(unused.module);
    const std::string of_forwards = unused.module.empty() ? "" : " of " + forwards;
    const std::string largest = in_mib(unused.largest_bytes);
    return {unused.graphs == 1 ? format("{} the graph{}. It keeps {}.", nobody, of_forwards, largest)
                               : format("{} {} graphs{}. Each keeps up to {}; {} are alive at once.", nobody,
                                        unused.graphs, of_forwards, largest, size),
            format("{} of {}, the largest of {}: {}", counted(unused.graphs, "graph", "graphs"), forwards,
                   blocks(unused.largest_blocks), proof_of(unused.why))};
  }
  Sentences operator()(const analysis::OneSegmentDetail& segment) const {
    const std::string taken = in_mib(segment.taken_bytes), free = in_mib(segment.free_bytes);
    return {
        format("The allocator reserved another {} although {} were free: each free piece was too small.",
               taken, free),
        format(
            "a segment of {} reserved while {} of large segments of the same stream and pool were free; {}",
            taken, free, if_expandable(segment.most_reserved_bytes, segment.if_expandable_bytes))};
  }
  Sentences operator()(const analysis::ManySegmentsDetail& segments) const {
    return {format("The allocator reserved up to {}, but at most {} were allocated at once; {} lay free in "
                   "pieces that were too small.",
                   in_mib(segments.reserved_bytes), in_mib(segments.allocated_bytes), size),
            format("{} of {} segments reserved while others of the same stream and pool had free pieces; {}",
                   segments.taken_beside_free, segments.segments,
                   if_expandable(segments.reserved_bytes, segments.if_expandable_bytes))};
  }
  Sentences operator()(const analysis::StreamCachesDetail& caches) const {
    return {
        format("The allocator reserved {} for {}. Each keeps what it frees for itself. One stream would need "
               "up to {} less.",
               in_mib(caches.reserved_bytes), counted(caches.streams, "stream", "streams"), size),
        "the sum of the most that each stream used at once, minus the most that all used at once"};
  }
  Sentences operator()(const analysis::PrivatePoolsDetail& pools) const {
    return {
        format("The allocator reserved {}, part of it for {}, as of CUDA graphs. Each keeps what it frees "
               "for itself: {} less would be enough for one pool.",
               in_mib(pools.reserved_bytes), counted(pools.pools, "private pool", "private pools"), size),
        "the sum of the most that each pool used at once, minus the most that all used at once"};
  }
  Sentences operator()(const analysis::DeferredFreesDetail& frees) const {
    return {
        format("The program freed memory that another stream still used (record_stream), up to {} at once. "
               "The allocator could not use it again and reserved {} more.",
               in_mib(frees.most_bytes), size),
        "the most that was allocated or waited for a stream at once, minus the most that was allocated"};
  }
};

std::string whose(const Shape& shape, Remedy remedy) {
  if (const auto* const graph = std::get_if<analysis::UnusedGraphDetail>(&shape.detail))
    return forwards_words(graph->module);
  const auto* const growth = std::get_if<analysis::FirstStepGrowthDetail>(&shape.detail);
  if (growth == nullptr) return "evaluations";
  if (remedy == Remedy::kReleaseOutputs) return maker_words(growth->held);
  std::vector<std::string> forwards;
  forwards.reserve(growth->unused.size());
  for (const std::string& module : growth->unused) forwards.push_back(forwards_words(module));
  return format("{}", fmt::join(forwards, " and "));
}

}  // namespace

ShapeWords words_of(const Shape& shape, Framework framework) {
  Sentences said = std::visit(ShapeSentences{{shape}}, shape.detail);
  std::vector<std::string> remedies;
  remedies.reserve(shape.remedies.size());
  for (const Remedy remedy : shape.remedies)
    remedies.push_back(remedy_words(remedy, framework, whose(shape, remedy)));
  return {.sentence = std::move(said.sentence),
          .remedy = format("{}", fmt::join(remedies, "; ")),
          .evidence = std::move(said.evidence)};
}

}  // namespace strata::report
