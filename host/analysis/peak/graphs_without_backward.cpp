// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/graphs_without_backward.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/module_path.hpp"
#include "host/analysis/peak/block_roles.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

using Blocks = std::vector<std::uint32_t>;                   // indices into Facts::blocks
using OpAndLayer = std::pair<std::uint32_t, std::uint32_t>;  // operator and module: indices into Facts::texts

constexpr std::size_t kLeastBlocks = 4;

bool is_left_by_forward(const Block& block) {
  return block.kind == BlockKind::kOpTemp || block.kind == BlockKind::kForwardResidue;
}

// Models with parameters that require a gradient but never get one in a backward, by the first part of their
// names. Empty if gradients do not have parameters' names, as in buckets, or if a backward makes none: then
// it is unknown whose graph it uses.
std::set<std::string_view> untrained_models(const MemoryFacts& facts) {
  std::set<std::string_view> untrained, trained;
  for (const Block& block : facts.blocks) {
    const std::string_view name = facts.texts[block.name];
    if (block.kind == BlockKind::kParameter && !block.is_frozen) untrained.insert(model_of(name));
    if (block.category != Category::kGradient) continue;
    if (name.empty() || block.kind == BlockKind::kBucket) return {};
    trained.insert(model_of(trained_by(name)));
  }
  if (trained.empty() && has_gone_backward(facts.phases)) return {};
  for (const std::string_view model : trained) untrained.erase(model);
  untrained.erase("");
  return untrained;
}

class GraphFinder {
 public:
  GraphFinder(const MemoryFacts& facts, const KeptFromEarlier& kept)
      : facts_(facts),
        kept_(kept),
        phases_(facts.phases),
        untrained_(untrained_models(facts)),
        is_taken_(facts.blocks.size()) {
    for (const PhaseFact& phase : facts.phases) {
      if (phase.kind != STRATA_PHASE_BACKWARD) continue;
      backwards_.push_back(phase.begin_sequence);
      if (phase.end_sequence != UINT64_MAX) last_that_ended_ = phase.begin_sequence;
    }
  }

  std::vector<UnusedGraph> find() {
    Blocks dying, staying;
    for (std::uint32_t index = 0; index < facts_.blocks.size(); ++index) {
      const Block& block = facts_.blocks[index];
      if (block.death_sequence != UINT64_MAX) deaths_.push_back(block.death_sequence);
      if (block.kind == BlockKind::kSaved) ++saved_behind_[backwards_before(block.birth_sequence)];
      modules_are_reported_ = modules_are_reported_ || (is_for_backward(block) && block.layer != 0);
      if (!is_left_by_forward(block) || kept_.holds(index) || !is_made_in_forward(block)) continue;
      (block.death_sequence == UINT64_MAX ? staying : dying).push_back(index);
    }
    std::ranges::sort(deaths_);
    of_those_that_die(std::move(dying));
    of_those_that_stay(staying);
    of_those_like_others(staying);
    of_the_one_in_the_making();
    return std::move(graphs_);
  }

 private:
  const Block& block_of(std::uint32_t index) const { return facts_.blocks[index]; }

  // The index of the part of the step; excludes forwards repeated in backward.
  std::optional<OpenPhases::Index> forward_of(const Block& block) const {
    if (block.phase == 0) return std::nullopt;
    const auto part = phases_.part_of_step(block.birth_sequence);
    if (!part) return std::nullopt;
    const std::uint32_t kind = facts_.phases[*part].kind;
    const bool is_forward =
        kind == STRATA_PHASE_FORWARD || kind == STRATA_PHASE_LOSS || kind == STRATA_PHASE_EVALUATION;
    return is_forward ? part : std::nullopt;
  }
  bool is_made_in_forward(const Block& block) const { return forward_of(block).has_value(); }

  std::size_t backwards_before(std::uint64_t sequence) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(backwards_, sequence) - backwards_.begin());
  }

  // While one graph is freed nothing is born, and hardly any events occur except frees, also of host memory:
  // an attention keeps two numbers there. If operators ran, they and their modules would begin and end.
  void of_those_that_die(Blocks dying) {
    std::ranges::sort(dying, {}, [&](std::uint32_t index) { return block_of(index).death_sequence; });
    Blocks together;
    for (const std::uint32_t index : dying) {
      if (!together.empty() && !go_at_once(block_of(together.back()), block_of(index)))
        add_those_that_go(std::exchange(together, {}));
      together.push_back(index);
    }
    add_those_that_go(together);
  }

  bool go_at_once(const Block& first, const Block& second) const {
    constexpr std::uint64_t kOfHost = 3;
    const std::uint64_t begin = first.death_sequence, end = second.death_sequence;
    const auto born = std::ranges::upper_bound(facts_.blocks, begin, {}, &Block::birth_sequence);
    if (born != facts_.blocks.end() && born->birth_sequence < end) return false;
    const auto deaths = std::ranges::lower_bound(deaths_, end) - std::ranges::lower_bound(deaths_, begin);
    return end - begin <= static_cast<std::uint64_t>(deaths) + kOfHost;
  }

  // By time of death. The end of a program also frees older blocks.
  void add_those_that_go(const Blocks& together) {
    if (together.empty() || goes_with_failure(together)) return;
    std::map<std::size_t, Blocks> by_backward;
    for (const std::uint32_t index : together)
      by_backward[backwards_before(block_of(index).birth_sequence)].push_back(index);
    for (const auto& [backwards, all] : by_backward) {
      for (Blocks& blocks : graphs_in(all)) {
        if (blocks.size() < kLeastBlocks || !go_last_first(blocks)) continue;
        const bool is_behind_another = backwards < backwards_before(block_of(blocks.back()).death_sequence);
        std::ranges::sort(blocks);
        if (!is_behind_another)
          add(std::move(blocks));
        else if (!add_if_untrained(blocks))
          behind_backward_.push_back(std::move(blocks));
      }
    }
  }

  // Each begins with the most recent block, and may end with its output, which is even more recent.
  static std::vector<Blocks> graphs_in(const Blocks& together) {
    std::vector<Blocks> graphs;
    std::uint32_t newest = 0;
    for (const std::uint32_t index : together) {
      if (graphs.empty() || index > newest) {
        graphs.emplace_back();
        newest = index;
      }
      graphs.back().push_back(index);
    }
    if (graphs.size() > 1 && graphs.back().size() == 1) {
      graphs[graphs.size() - 2].push_back(graphs.back().front());
      graphs.pop_back();
    }
    return graphs;
  }

  // An evaluation's last output is in a variable until the next one's, and training steps lie between, or to
  // the end: it is made as those are that went before any backward.
  void of_those_like_others(const Blocks& staying) {
    std::map<std::size_t, Blocks> by_backward;
    for (const std::uint32_t index : staying)
      if (!is_taken_[index]) by_backward[backwards_before(block_of(index).birth_sequence)].push_back(index);
    for (auto& [unused, blocks] : by_backward) behind_backward_.push_back(std::move(blocks));
    for (Blocks& blocks : behind_backward_) {
      const std::size_t backwards = backwards_before(block_of(blocks.front()).birth_sequence);
      const auto other = std::ranges::find_if(graphs_, [&](const UnusedGraph& graph) {
        return graph.why == WhyUnused::kNoBackward &&
               backwards_before(block_of(graph.blocks.front()).birth_sequence) == backwards &&
               are_made_alike(blocks, graph.blocks);
      });
      if (other != graphs_.end() && add(std::move(blocks))) graphs_.back().why = WhyUnused::kLikeOthers;
    }
  }

  // But for a tenth: a loss may have gone with the others.
  bool are_made_alike(const Blocks& blocks, const Blocks& others) const {
    std::set<OpAndLayer> makers;
    for (const std::uint32_t index : others) makers.emplace(block_of(index).op, block_of(index).layer);
    const auto alike = std::ranges::count_if(blocks, [&](std::uint32_t index) {
      return makers.contains({block_of(index).op, block_of(index).layer});
    });
    return static_cast<std::size_t>(alike) * 10 >= blocks.size() * 9 &&
           blocks.size() * 9 <= others.size() * 10 && others.size() * 9 <= blocks.size() * 10;
  }

  // An allocation that failed, or anything else that ended the program, took its backward away.
  bool goes_with_failure(const Blocks& together) const {
    const std::uint64_t death = block_of(together.back()).death_sequence;
    const auto failed =
        std::ranges::lower_bound(facts_.failed_at, block_of(std::ranges::min(together)).birth_sequence);
    if (failed != facts_.failed_at.end() && *failed < death) return true;
    return facts_.end != RunEnd::kDone && facts_.blocks.back().birth_sequence < death;
  }

  // Blocks kept by one operator are freed in any order; the output, if a variable also holds it, after its
  // graph.
  bool go_last_first(std::span<const std::uint32_t> together) const {
    if (together.back() == std::ranges::max(together)) together = together.first(together.size() - 1);
    const std::size_t half = together.size() / 2;
    std::size_t in_order = 0;
    for (std::size_t place = 0; place < half; ++place)
      if (together[place + half] < together[place]) ++in_order;
    return in_order * 4 >= half * 3;
  }

  // A variable's last output is still alive when a run is cut short: after a completed backward, from a
  // single forward.
  void of_those_that_stay(const Blocks& staying) {
    std::map<OpenPhases::Index, Blocks> by_forward;
    for (const std::uint32_t index : staying) {
      const Block& block = block_of(index);
      if (block.kind == BlockKind::kForwardResidue && block.birth_sequence < last_that_ended_)
        by_forward[*forward_of(block)].push_back(index);
    }
    for (auto& [unused, blocks] : by_forward) add_if_untrained(blocks);
  }

  // An operator that made such a graph before makes another one in a forward that was cut short.
  void of_the_one_in_the_making() {
    std::set<OpAndLayer> makers;
    for (const UnusedGraph& graph : graphs_)
      for (const std::uint32_t index : graph.blocks)
        if (graph.why == WhyUnused::kPassedBy && block_of(index).layer != 0)
          makers.emplace(block_of(index).op, block_of(index).layer);
    if (makers.empty()) return;
    std::map<std::string_view, Blocks> of_module;
    for (std::uint32_t index = 0; index < facts_.blocks.size(); ++index) {
      const Block& block = block_of(index);
      const bool is_cut_short =
          block.death_sequence == UINT64_MAX && backwards_before(block.birth_sequence) == backwards_.size();
      if (!is_cut_short || !is_made_in_forward(block) || is_taken_[index] || kept_.holds(index)) continue;
      if (makers.contains({block.op, block.layer})) of_module[model_of_maker(block)].push_back(index);
    }
    for (auto& [module, blocks] : of_module)
      graphs_.push_back({.blocks = std::move(blocks), .module = module, .why = WhyUnused::kPassedBy});
  }

  // If modules are unknown: the only possible model.
  std::string_view model_of_maker(const Block& block) const {
    if (block.layer != 0) return model_of(facts_.texts[block.layer]);
    return untrained_.size() == 1 && !modules_are_reported_ ? *untrained_.begin() : std::string_view();
  }

  std::string_view module_of(const Blocks& blocks) const {
    std::string_view module;
    bool is_reported = false;
    for (const std::uint32_t index : blocks) {
      const std::string_view path = facts_.texts[block_of(index).layer];
      if (path.empty()) continue;
      module = is_reported ? module_around(module, path) : path;
      is_reported = true;
    }
    return is_reported ? module : model_of_maker(block_of(blocks.front()));
  }

  // Beside it a backward has taken a graph down: else the one that it keeps may be this.
  bool add_if_untrained(const Blocks& blocks) {
    const std::size_t before = graphs_.size();
    const auto saved = saved_behind_.find(backwards_before(block_of(blocks.front()).birth_sequence));
    if (saved == saved_behind_.end() || saved->second < kLeastBlocks) return false;
    std::map<std::string_view, Blocks> of_model;
    for (const std::uint32_t index : blocks) of_model[model_of_maker(block_of(index))].push_back(index);
    for (auto& [model, of_one] : of_model)
      if (untrained_.contains(model) && add(std::move(of_one))) graphs_.back().why = WhyUnused::kPassedBy;
    return graphs_.size() > before;
  }

  // By birth; returns whether it is a graph. A graph contains most of the blocks made from the first to the
  // last; a list of outputs held by a program, such as all hidden states, does not.
  bool add(Blocks blocks) {
    if (blocks.size() < kLeastBlocks || !are_of_model(blocks)) return false;
    std::uint64_t bytes = 0, made = 0;
    for (std::uint32_t index = blocks.front(); index <= blocks.back(); ++index)
      if (is_left_by_forward(block_of(index)) || block_of(index).kind == BlockKind::kSaved)
        made += block_of(index).bytes;
    for (const std::uint32_t index : blocks) bytes += block_of(index).bytes;
    if (bytes < made / 2) return false;
    // Also kept by a trained model in other forwards for their backward: excludes outputs in a list, which
    // backward does not use.
    const bool is_of_evaluation = !untrained_.contains(model_of_maker(block_of(blocks.front())));
    if (is_of_evaluation && has_gone_backward(facts_.phases) && !is_as_trained(blocks)) return false;
    UnusedGraph graph{.blocks = std::move(blocks), .module = {}};
    graph.module = module_of(graph.blocks);
    graph.is_of_evaluation = is_of_evaluation;
    for (const std::uint32_t index : graph.blocks) is_taken_[index] = true;
    graphs_.push_back(std::move(graph));
    return true;
  }

  // From several modules or, if they are unknown, with several products: excludes temporaries of a single
  // operator, which are also freed last-first.
  bool are_of_model(const Blocks& blocks) const {
    constexpr std::size_t kSeveral = 3;
    std::set<std::uint32_t> modules;
    for (const std::uint32_t index : blocks) modules.insert(block_of(index).layer);
    modules.erase(0);
    if (!modules.empty()) return modules.size() >= kSeveral;
    std::size_t products = 0;
    for (std::uint32_t index = blocks.front(); index <= blocks.back(); ++index)
      if (is_product(facts_.texts[block_of(index).op])) ++products;
    return products >= kSeveral;
  }

  // By operator and module; if modules are unknown, by several operators.
  bool is_as_trained(const Blocks& blocks) {
    if (!saved_by_) {
      saved_by_.emplace();
      for (const Block& block : facts_.blocks)
        if (block.kind == BlockKind::kSaved) saved_by_->emplace(block.op, block.layer);
    }
    std::set<OpAndLayer> makers;
    std::size_t as_trained = 0;
    for (const std::uint32_t index : blocks) {
      const OpAndLayer maker{block_of(index).op, block_of(index).layer};
      makers.insert(maker);
      if (saved_by_->contains(maker)) ++as_trained;
    }
    return makers.size() > 1 && as_trained * 2 > blocks.size();
  }

  const MemoryFacts& facts_;
  const KeptFromEarlier& kept_;
  const OpenPhases phases_;
  const std::set<std::string_view> untrained_;
  std::vector<std::uint64_t> backwards_;  // where each begins
  std::uint64_t last_that_ended_ = 0;     // of these
  std::vector<std::uint64_t> deaths_;     // sequences, of all blocks
  std::map<std::size_t, std::size_t>
      saved_behind_;  // by number of backwards before: blocks that one took down
  bool modules_are_reported_ = false;
  std::vector<bool> is_taken_;           // by block: of a graph that was found
  std::vector<Blocks> behind_backward_;  // freed together after a backward, of a trained model
  std::optional<std::set<OpAndLayer>> saved_by_;
  std::vector<UnusedGraph> graphs_;
};

}  // namespace

std::vector<UnusedGraph> graphs_without_backward(const MemoryFacts& facts, const KeptFromEarlier& kept) {
  return GraphFinder(facts, kept).find();
}

}  // namespace strata::analysis
